"""`python -m thresher` is the command `thresher`."""

from thresher.cli import main

if __name__ == "__main__":
    main()
