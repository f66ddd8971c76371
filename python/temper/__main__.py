"""python -m temper: the command line."""
from _temper_program import main

main()
