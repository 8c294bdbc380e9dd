# A process that ignores SIGTERM and never ends, with as many generations below it as asked for.
# Each leaves a file with its process id in the name: runaway.sh FILE GENERATIONS
trap '' TERM
: >"$1.$$"
if [ "$2" -gt 1 ]; then sh "$0" "$1" $(($2 - 1)) & fi
echo started
while :; do sleep 1; done
