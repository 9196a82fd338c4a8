"""The PyTorch dataset of tfrecord_tools.torch, imported when it is called."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Iterator

import torch
import torch.utils.data

from tfrecord_tools import Batches, Files, Selection, UsageError, _names
from tfrecord_tools._command import call

if TYPE_CHECKING:
    import pyarrow as pa


class TFRecordDataset(torch.utils.data.IterableDataset):  # type: ignore[misc]  # torch may not be installed
    """Batches of the records of files, divided among ranks and workers; see :func:`tfrecord_tools.torch`.

    ``iter(dataset)`` has ``state_dict()`` and ``load_state_dict()``, which torchdata's StatefulDataLoader uses. ``num_workers=0`` is
    the fastest: the command already works in processes of its own, and workers copy every tensor.
    """

    def __init__(self, files: Files, rows: int, jagged: bool, drop_last: bool, even: bool, rank: int | None, world_size: int | None,
                 selection: Selection) -> None:  # fmt: skip
        for name in [name for name, value in selection.items() if value is None]:
            del selection[name]  # type: ignore[misc]
        if "shard" in selection:
            raise UsageError("shard: ranks and workers are the shards; set rank and world_size")
        if even and ("where" in selection or "limit" in selection or selection.get("on_error", "stop") != "stop"):
            raise UsageError("even: cannot be combined with where, limit or on_error, since only records are counted")
        self.files, self.rows, self.jagged, self.drop_last, self.even = files, rows, jagged, drop_last, even
        self.rank, self.world_size = rank, world_size
        self.selection: Selection = {"utf8": "-*", **selection}
        self._sizes: list[int] | None = None  # records of each file, for even
        self._epoch = torch.zeros((), dtype=torch.int64).share_memory_()  # workers that stay alive see it, too

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which is added to the seed: with shuffle, each has an order of its own."""
        self._epoch.fill_(epoch)

    def shard(self) -> tuple[int, int]:
        """Return the part of this worker, and the number of parts: workers of all ranks."""
        rank, world = self.rank, self.world_size
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            rank = torch.distributed.get_rank() if rank is None else rank
            world = torch.distributed.get_world_size() if world is None else world
        if (rank is None) != (world is None):
            raise UsageError("rank and world_size: want both or, without torch.distributed, none")
        info = torch.utils.data.get_worker_info()
        workers, worker = (info.num_workers, info.id) if info else (1, 0)
        return (rank or 0) * workers + worker, (world or 1) * workers

    def steps(self, count: int) -> int:
        """Return the number of batches that each of count parts has, where all have the same number: with even."""
        if self._sizes is None:
            out, _ = call(["count", "--format", "json", "--", *_names(self.files)], quiet=True)
            self._sizes = [file["records"] for file in json.loads(out)["files"]]
        n, sizes = len(self._sizes), self._sizes
        if self.selection.get("shuffle"):
            smallest = sum(sizes) // count
        elif n < count:  # the records of each file are divided
            smallest = min(sum(len(range(i, size, count)) for size in sizes) for i in range(count))
        else:
            smallest = min(sum(sizes[i * n // count : (i + 1) * n // count]) for i in range(count))
        return smallest // self.rows

    def __iter__(self) -> BatchIterator:
        return BatchIterator(self)


class BatchIterator(Iterator[dict[str, Any]]):
    """One pass over the part of a worker."""

    def __init__(self, dataset: TFRecordDataset) -> None:
        self._dataset = dataset
        self._shard = dataset.shard()
        self._epoch = int(dataset._epoch)
        self._state: dict[str, Any] = {}  # of Batches, before they begin
        self._done = 0  # batches that were returned
        self._batches: Batches | None = None
        self._steps: int | None = None  # batches of the pass, with even

    def __next__(self) -> dict[str, Any]:
        d = self._dataset
        if self._batches is None:
            selection = Selection(**d.selection)
            if self._shard[1] > 1:
                selection["shard"] = self._shard
            if selection.get("shuffle"):
                selection["seed"] = selection.get("seed", 0) + self._epoch
            self._steps = d.steps(self._shard[1]) if d.even else None
            self._batches = Batches(d.files, d.rows, self._state, selection)
        batch = None if self._done == self._steps else next(self._batches, None)
        if batch is None or d.drop_last and batch.num_rows < d.rows:
            self._batches.close()
            raise StopIteration
        self._done += 1
        return convert(batch, d.jagged)

    def state_dict(self) -> dict[str, Any]:
        """Return the position after the last batch, as JSON values."""
        own = self._batches.state_dict() if self._batches else self._state
        return {"batches": own, "done": self._done, "epoch": self._epoch, "shard": list(self._shard)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue after the batch at which state_dict was called, with the same files, arguments and number of workers."""
        if tuple(state["shard"]) != self._shard:
            raise UsageError(f"the state is of shard {tuple(state['shard'])}, and this is {self._shard}: want the same workers and ranks")
        if self._batches:
            self._batches.close()
            self._batches = None
        self._state, self._done, self._epoch = state["batches"], state["done"], state["epoch"]


def convert(batch: pa.RecordBatch, jagged: bool = False) -> dict[str, Any]:
    """Return the columns of a record batch as tensors that share its memory: do not write to them."""
    return {name: _column(column, jagged) for name, column in zip(batch.schema.names, batch.columns)}


def _column(array: pa.Array, jagged: bool) -> Any:
    """Return a column: a tensor, a list of bytes, or a dict."""
    import pyarrow as pa

    if pa.types.is_struct(array.type):  # of a sparse feature: indices and values
        return {array.type.field(i).name: _column(child, jagged) for i, child in enumerate(array.flatten())}
    offsets: list[torch.Tensor] = []  # of the lists, outermost first
    shape: list[int] = []  # of the fixed sizes within the innermost ragged list
    while True:
        if pa.types.is_fixed_size_list(array.type):
            shape.append(array.type.list_size)
        elif pa.types.is_large_list(array.type) or pa.types.is_list(array.type):
            for i, size in enumerate(shape):  # lists in fixed sizes: these have offsets, too
                n = len(array) // max(torch.Size(shape[i:]).numel(), 1)
                offsets.append(torch.arange(0, n * size + 1, size) if size else torch.zeros(n + 1, dtype=torch.int64))
            shape.clear()
            splits = _tensor(array.offsets)
            offsets.append(splits if not len(splits) or splits[0] == 0 else splits - splits[0])  # of a slice
        else:
            break
        array = array.flatten()
    values: Any
    if pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type) or pa.types.is_large_string(array.type):
        values = array.cast(pa.large_binary()).to_pylist()
        if shape:
            offsets.extend(torch.arange(0, len(values) + 1, torch.Size(shape[i:]).numel()) for i in range(len(shape)))
    else:
        values = _tensor(array)
        if shape:
            values = values.view(-1, *shape) if values.numel() else values.view(0 if 0 not in shape else -1, *shape)
    if not offsets:
        return values
    if jagged and len(offsets) == 1 and isinstance(values, torch.Tensor):
        lengths = offsets[0].diff()
        low, high = (int(lengths.min()), int(lengths.max())) if len(lengths) else (0, 0)
        return torch.nested.nested_tensor_from_jagged(values, offsets[0], min_seqlen=low, max_seqlen=high)
    return {"values": values, "offsets": offsets}


def _tensor(array: pa.Array) -> torch.Tensor:
    """Return numbers as a tensor that shares their memory, if it can."""
    import pyarrow as pa

    if pa.types.is_boolean(array.type) or not len(array):  # bits; and DLPack refuses memory that is not there
        return torch.from_numpy(array.to_numpy(zero_copy_only=False).copy())
    return torch.from_dlpack(array)
