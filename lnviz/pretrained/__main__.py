"""`python -m lnviz.pretrained`."""

from lnviz.pretrained.stored import main

if __name__ == "__main__":
    main()
