"""The command line."""

import argparse


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("tidemark")
    commands = parser.add_subparsers(required=True)

    save = commands.add_parser("save", help="make a snapshot")
    save.add_argument("folder")
    save.add_argument("--exclude", action="append", help="a pattern of what is left out")

    restore = commands.add_parser("restore", help="bring files back")
    restore.add_argument("snapshot", help="its id, or latest")
    restore.add_argument("--only", help="a pattern: restores the files that match, and nothing else")
    restore.add_argument("--to", help="the folder to restore to; without it, files go where they were")
    restore.add_argument("--overwrite", action="store_true", help="replaces files that are there")

    verify = commands.add_parser("verify", help="read everything and compare its sums")
    verify.add_argument("--sample", type=int, help="so many per cent of all")
    return parser
