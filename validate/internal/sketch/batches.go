package sketch

// Batches is mean and variance as TensorFlow Data Validation comes to them, with
// all its rounding: of each batch by itself, in the order of NumPy's sums, and
// then of the batches one after the other. Where values are large and near each
// other it is far from what Moments gives.
type Batches struct {
	count, mean, variance, weight float64 // weight is the mean one

	values, weights []float64 // of the batch
}

// Add adds a value to the batch.
func (b *Batches) Add(v, w float64) {
	b.values = append(b.values, v)
	b.weights = append(b.weights, w)
}

// EndBatch begins a new batch. Weighted says whether the weights matter.
func (b *Batches) EndBatch(weighted bool) {
	v, w := b.values, b.weights
	b.values, b.weights = v[:0], w[:0]
	n := float64(len(v))
	if n == 0 {
		return
	}
	total, weight := n, 1.0
	if weighted {
		weight = pairwise(w) / n
		if weight == 0 {
			b.count += n
			return
		}
		total = n * weight
	}
	scratch := make([]float64, len(v))
	for i, x := range v {
		scratch[i] = x
		if weighted {
			scratch[i] = w[i] * x
		}
	}
	mean := pairwise(scratch) / total
	for i, x := range v {
		d := x - mean
		scratch[i] = d * d
		if weighted {
			scratch[i] = w[i] * float64(d*d)
		}
	}
	b.combine(n, mean, pairwise(scratch)/total, weight)
}

// Merge adds what o has of whole batches.
func (b *Batches) Merge(o *Batches) {
	switch {
	case o.count == 0:
	case b.count == 0:
		b.count, b.mean, b.variance, b.weight = o.count, o.mean, o.variance, o.weight
	default:
		b.combine(o.count, o.mean, o.variance, o.weight)
	}
}

func (b *Batches) combine(count, mean, variance, weight float64) {
	x := Batches{count: b.count, mean: b.mean, variance: b.variance, weight: b.weight}
	y := Batches{count: count, mean: mean, variance: variance, weight: weight}
	both, all := x.count+y.count, x.count*x.weight+y.count*y.weight
	if both == 0 || all == 0 {
		return
	}
	if y.count*y.weight > x.count*x.weight {
		x, y = y, x
	}
	ratio := y.count * y.weight / all
	b.count = both
	b.weight = x.weight + float64(y.count/both*(y.weight-x.weight))
	b.mean = x.mean + float64(ratio*(y.mean-x.mean))
	b.variance = x.variance + float64(ratio*(y.variance-x.variance+float64((y.mean-b.mean)*(y.mean-x.mean))))
}

// MeanVariance returns both; 0 and 0 without values.
func (b *Batches) MeanVariance() (mean, variance float64) { return b.mean, b.variance }

// AppendState appends b, without a batch that has not ended.
func (b *Batches) AppendState(dst []byte) []byte {
	for _, v := range []float64{b.count, b.mean, b.variance, b.weight} {
		dst = AppendFloat(dst, v)
	}
	return dst
}

// Batches reads Batches.
func (d *Decoder) Batches() *Batches {
	return &Batches{count: d.Float(), mean: d.Float(), variance: d.Float(), weight: d.Float()}
}

// pairwise adds numbers in the order of NumPy: eight sums of up to 128 numbers,
// and halves of more.
func pairwise(v []float64) float64 {
	if len(v) < 8 {
		sum := 0.0
		for _, x := range v {
			sum += x
		}
		return sum
	}
	if len(v) > 128 {
		half := len(v) / 2
		half -= half % 8
		return pairwise(v[:half]) + pairwise(v[half:])
	}
	var r [8]float64
	copy(r[:], v)
	i := 8
	for ; i+8 <= len(v); i += 8 {
		for k := range r {
			r[k] += v[i+k]
		}
	}
	sum := ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	for ; i < len(v); i++ {
		sum += v[i]
	}
	return sum
}
