# "npm start": builds what is not built yet, and becomes the server.
. ./launch.sh
# shellcheck disable=SC2086
"$node" build.mjs --warm-up && enter_caller && exec "$node" $npm_package_config_flags "$headcount/headcount.js" serve "$@"
