// Package rule checks statistics against rules that a team writes down, one a line:
//
//	# trips.rules
//	num_missing / num_examples < 0.01            # of every feature
//	max(trip_miles) < 500
//	mean(fare) / mean(fare) before in 0.8..1.25  # compared with the previous data set
//	quantile(fare, 0.99) < 200 && share(payment, "Cash") in 0.3..0.5
//	jensen_shannon before < 0.1                  # of every feature, to the previous data set
//	warning: type != "string" || unique <= 10000
//
// [Parse] reads rules, [Set.Check] evaluates them for the statistics of a data set, and returns a [Violation] with
// the numbers for each rule that does not hold: "max(trip_miles) is 812, wanted < 500". The verb validate of the
// command takes files of rules.
//
// # Grammar
//
// A line has one rule, or none. "#" begins a comment. Names, literals, conditions and operators are those of
// package example/filter.
//
//	Rule       = [ ( "error" | "warning" ) ":" ] Expr .
//	Expr       = And { "||" And } .
//	And        = Not { "&&" Not } .
//	Not        = "!" Not | "(" Expr ")" | Test .
//	Test       = "has" "(" Name ")" [ Data ]
//	           | Sum Compare Sum
//	           | Sum "in" Sum ".." Sum
//	           | Sum [ "not" ] "in" "[" Literal { "," Literal } "]"
//	           | Sum ( "=~" | "!~" ) String .
//	Compare    = "==" | "!=" | "<" | "<=" | ">" | ">=" .
//	Sum        = Product { ( "+" | "-" ) Product } .
//	Product    = Operand { ( "*" | "/" ) Operand } .
//	Operand    = "-" Operand | "(" Sum ")" | "abs" "(" Sum ")" | Literal | Statistic .
//	Statistic  = word [ "(" Name [ "," Literal ] ")" ] [ Data ] .
//	Data       = "now" | "before" | "serving" .
//	Name       = bare | "`" { character } "`" | "feature" "(" String ")" .
//	Literal    = Integer | Float | String .
//
// An operator that a bare name may contain, "-" or "/", needs a space before it. A range a..b has both of its ends.
//
// # Statistics
//
// Statistics have the names of the fields in TensorFlow Metadata's statistics.proto, where it has one:
//
//	num_examples                                    of the data set
//	num_non_missing, num_missing                    of every feature
//	min_num_values, max_num_values, avg_num_values, tot_num_values
//	mean, std_dev, num_zeros, min, median, max      of numbers
//	num_nan, num_inf                                of numbers
//	quantile(x, 0.99)                               of numbers: 0.99 of the finite ones are at most this
//	unique, avg_length                              of strings
//	share(x, "Cash")                                of strings: the share of the values that are "Cash"
//	num_empty                                       of every feature: examples that have it without a value
//	min_num_bytes, max_num_bytes, avg_num_bytes     of bytes
//	name, type                                      strings; the type is "int", "float", "string", "bytes" or "struct"
//	slice                                           a string: the slice that is checked, as "city_Oslo"; "" for all examples
//
// Quantiles are those of the statistics: of 100 of them quantile(x, 0.99) is known, and quantile(x, 0.995) is not. The share of a value that is not
// among the listed ones is 0 if all are listed, else not known. num_empty is known where no example has several values, or none is empty.
//
// Distances from another data set have the names that package drift gives them, and need before or serving behind them, as
// jensen_shannon(x) before:
//
//	jensen_shannon, population_stability_index      of strings and of numbers
//	kolmogorov_smirnov                              of numbers
//	l_infinity                                      of strings
//
// They are measured from the statistics, and are 0 where they are not above the noise: what samples of the same data have by chance.
//
// A statistic with a name is of that feature. A statistic without one is of each feature that has all statistics
// that the rule names so; the rule is then checked for every such feature on its own. The name of a feature is its path,
// with dots between the steps of a nested one.
//
// now is the data set that is checked, and may be left out; before is the previous one, and serving the one of
// serving. Statistics are those without weights.
//
// # Slices
//
// Of statistics with slices [Set.Check] takes those of all examples, and [Set.CheckSlices] checks each slice too, as if it was the
// data set: now, before and serving are then the slices of the same name. A rule without a statistic of a feature, such as
// num_examples > 1000, is of all examples, unless it names slice:
//
//	slice != "" || max(fare) < 500              # of all examples alone
//	slice !~ "^city_" || num_examples >= 100    # of the slices by city
//	num_non_missing(tips) == 0 || max(tips) < 9 # of the slices that have tips
//
// # What is missing
//
// A rule fails if a feature that it names is not in the statistics, or has no values that the statistic could be
// of. The latter is true of mean, std_dev, min, median and max of a feature without values. Division by zero gives NaN or an infinity; a
// comparison with NaN is false, but for "!=".
package rule
