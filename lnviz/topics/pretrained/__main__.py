"""`python -m lnviz.topics.pretrained`."""

from lnviz.topics.pretrained.stored import main

if __name__ == "__main__":
    main()
