package main

import (
	"fmt"
	"slices"
)

// result is a row of the table, measured: medians over the rounds. lowest and highest are the
// ratios between which the rounds lie.
type result struct {
	comparison
	ours, yardstick, ratio float64
	lowest, highest        float64
}

// judge makes the rows' results. The ratio is the median of the rounds' ratios, not the ratio of
// medians: what disturbed one round disturbed both of its halves (perf §9).
func judge(rows []comparison, rounds []round) ([]result, error) {
	var results []result
	for _, c := range rows {
		var ours, yardstick, ratios []float64
		for _, figures := range rounds {
			a, err := figures.of(c.pkg, c.ours, c.unit)
			if err != nil {
				return nil, err
			}
			b, err := figures.of(c.pkg, c.yardstick, c.unit)
			if err != nil {
				return nil, err
			}
			ours, yardstick, ratios = append(ours, a), append(yardstick, b), append(ratios, a/b)
		}
		results = append(results, result{
			comparison: c, ours: median(ours), yardstick: median(yardstick), ratio: median(ratios),
			lowest: slices.Min(ratios), highest: slices.Max(ratios),
		})
	}
	return results, nil
}

func (r round) of(pkg, name, unit string) (float64, error) {
	figures, ok := r[benchmark{pkg, name}]
	if !ok {
		return 0, fmt.Errorf("no benchmark of %s is called %s: it was renamed, or its row in "+
			"tests/bench/comparisons.go is wrong", pkg, name)
	}
	value, ok := figures[unit]
	if !ok || value == 0 {
		return 0, fmt.Errorf("the benchmark %s of %s reports no %s", name, pkg, unit)
	}
	return value, nil
}

// median is the middle of values, or the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
