"""Sample texts for the published models: a dozen sentences, and a passage for measuring losses."""

SENTENCES = (
    "The capital of France is",
    "The cat sat on the mat because it was tired.",
    "To be, or not to be, that is the question:",
    "Two plus two equals",
    "Once upon a time, there was a little girl who",
    "Water boils at 100 degrees Celsius at sea level.",
    "The quick brown fox jumps over the lazy dog.",
    "Layer normalization divides by the standard deviation of the features.",
    "Je ne parle pas français.",
    "def add(a, b):\n    return a + b",
    "no no no no no no no no no no",
    "Dear Sir or Madam,",
)

PASSAGE = (
    "When on board H.M.S. 'Beagle,' as naturalist, I was much struck with certain facts in the "
    "distribution of the inhabitants of South America, and in the geological relations of the "
    "present to the past inhabitants of that continent. These facts seemed to me to throw some "
    "light on the origin of species--that mystery of mysteries, as it has been called by one of "
    "our greatest philosophers. On my return home, it occurred to me, in 1837, that something "
    "might perhaps be made out on this question by patiently accumulating and reflecting on all "
    "sorts of facts which could possibly have any bearing on it. After five years' work I allowed "
    "myself to speculate on the subject, and drew up some short notes; these I enlarged in 1844 "
    "into a sketch of the conclusions, which then seemed to me probable: from that period to the "
    "present day I have steadily pursued the same object. I hope that I may be excused for "
    "entering on these personal details, as I give them to show that I have not been hasty in "
    "coming to a decision."
)
"""The beginning of Darwin's *On the Origin of Species* (1859), in the public domain."""
