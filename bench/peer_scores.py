"""The adjusted Rand index, for the peers of the measurement of duplicates."""

from collections import Counter


def pairs_within(counts):
    return sum(count * (count - 1) // 2 for count in counts)


def adjusted_rand(labels, truth):
    both = pairs_within(Counter(zip(labels, truth)).values())
    one, other = pairs_within(Counter(labels).values()), pairs_within(Counter(truth).values())
    expected = one * other / pairs_within([len(truth)])
    return (both - expected) / ((one + other) / 2 - expected)
