/**
 * What counts as content of a site: the files that an agent may change without the project naming them. Builds and
 * previews run a branch before anybody has read it, so this lists what no usual tool runs, and not what some tool does.
 */

/** Pages in the markup languages of documentation, and images. SVG is not among them: it can hold scripts. */
export const contentExtensions: readonly string[] = [
  ...['md', 'mdx', 'markdown', 'mdown', 'mkd', 'mdoc', 'markdoc'],
  ...['rst', 'adoc', 'asciidoc', 'textile', 'mediawiki', 'txt'],
  ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'ico', 'bmp'],
];

/** Navigation that is data, by the name of the file. */
export const navigationNames: readonly string[] = [
  // Mintlify
  ...['docs.json', 'mint.json'],
  // Nextra, Docusaurus
  ...['_meta.json', '_category_.json', '_category_.yml', '_category_.yaml', 'sidebars.json', 'sidebar.json'],
  // DocFX, Jupyter Book, Sphinx
  ...['toc.yml', '_toc.yml'],
];

/** Settings of a site of which an agent may change the navigation alone. */
export const mkdocsNames: readonly string[] = ['mkdocs.yml', 'mkdocs.yaml'];

/** Named like content, and yet some installer, builder or visitor that is a program takes orders from it. */
export const namedLikeContent: readonly RegExp[] = [
  /(^|\/)[^/]*(requirements?|constraints)[^/]*\.txt$/,
  /(^|\/)requirements\/.*\.txt$/,
  /(^|\/)(cmakelists|meson_options|conanfile|runtime|packages|apt)\.txt$/,
  // What crawlers, shops of advertisements and others obey
  /(^|\/)(robots|ads|app-ads|ai|security|trust|tdm-policy|dnt-policy|_redirects|_headers|cname)\.txt$/,
];

/** Other agents take orders from these; they are changed only where the project names them without a wildcard. */
export const agentFiles: readonly RegExp[] = [
  /(^|\/)(agents?|claude|gemini|qwen|crush|warp|skill)(\.[\w-]+)*\.(md|mdx|markdown|txt)$/,
  /(^|\/)[^/]+\.(instructions|prompt|chatmode|agent)\.md$/,
  /(^|\/)(copilot-instructions|replit|\.?rules)\.md$/,
];

/**
 * What build services and hosts run or obey besides the files of `path.ts`: no project can name it for agents. Settings of a
 * site's generator are not among it, as a project may want them changed. Compared in small letters.
 */
export const buildFiles: readonly RegExp[] = [
  // Build services, and what merges or publishes by itself
  /(^|\/)\.?zuul(\.ya?ml|\.d\/)/,
  /(^|\/)\.(pipelines|azuredevops|azure|bitrise|buddy|harness|screwdriver|gocd|sourcehut|teamcity|tekton|concourse|jfrog-pipelines)(\/|$)/,
  /(^|\/)azure-pipelines?\/|^pipelines?(\/.*)?\.(ya?ml|json)$/,
  /(^|\/)[^/]*(azure-pipelines?|bitbucket-pipelines|gitlab-ci|cloudbuild|buildspec|appveyor|gocd)[^/]*\.(ya?ml|json|toml)$/,
  /(^|\/)\.?(travis|drone|woodpecker|cirrus|appveyor|circle|buildkite|codefresh|wercker|shippable|screwdriver|prow|bitrise|buddy|codemagic|semaphore|scrutinizer|codeship-(services|steps)|onedev-buildspec|asf|pullapprove|space|earthly|tangled)\.(ya?ml|json|jsonnet|star|kts|toml)$/,
  /(^|\/)[^/]*jenkinsfile[^/]*$/,
  /(^|\/)action\.ya?ml$/,
  /(^|\/)(owners|owners_aliases|codeowners)$/,
  /(^|\/)\.?(mergify|kodiak|bors|renovate|renovaterc|dependabot|goreleaser|releaserc|release-please-config|pre-commit-config)(\.[^/]*)?$/,
  /(^|\/)\.(changeset|dependabot|renovate|releases)\//,
  /(^|\/)\.?(vela|rultor|hound|overcommit|lintstagedrc)(\.[^/]*)?$/,
  /(^|\/)(lint-staged|release)\.config\.[^/]+$/,
  /(^|\/)(\.(agola|sr\.ht|argo|bamboo|werft|trunk|semaphoreci|depot)|bamboo-specs)\//,
  /(^|\/)\.gitlab\/(agents\/|.*\.ya?ml$)/,
  /(^|\/)(fastlane\/|(fastfile|appfile|matchfile|dagger\.json|depot\.json)$)/,
  // Containers and machines
  /(^|\/)(captain-definition|okteto|devspace|werf|werf-giterminism|chart|kustomization|helmfile|devfile|\.devfile|devenv|batect)(\.(ya?ml|json))?$/,
  /(^|\/)(pulumi(\.[^/]+)?\.ya?ml|([^/]+\.)?garden\.ya?ml|(devbox|cdk)\.(json|lock)|samconfig\.toml|sst\.config\.[^/]+|ansible\.cfg|waypoint\.hcl)$/,
  /(^|\/)(\.(lando|replit|s2i|ddev|tugboat|openshift)|sandbox\.config\.json)(\/|\.|$)/,
  /(^|\/)([^/]+\.)?(dockerfile|containerfile|earthfile|vagrantfile|tiltfile|procfile|brewfile)([._-][^/]*)?$/,
  /(^|\/)(docker-)?compose([.-][^/]*)?\.ya?ml$/,
  /(^|\/)(docker-bake\.(hcl|json)|\.dockerignore|devcontainer\.json|skaffold\.ya?ml|[^/]+\.(tf|tfvars|nix|nomad))$/,
  /(^|\/)\.(devcontainer|gitpod|codesandbox|stackblitz|idx)(\/|\.|$)/,
  // Packages: what is installed, and the scripts that come with it
  /(^|\/)(package(-lock)?|npm-shrinkwrap|lerna|nx|turbo|rush|bower|composer|deno|jsr|volta)\.(jsonc?|lock)$/,
  /(^|\/)\.?(npmrc|yarnrc(\.ya?ml)?|pnpmfile\.[cm]?js|bunfig\.toml|tool-versions|mise\.toml|nvmrc|node-version)$/,
  /(^|\/)(\.yarn|\.pnp\.[^/]*|node_modules)(\/|$)/,
  /(^|\/)(yarn|pnpm-lock|bun|poetry|uv|pdm|pipfile|gemfile|composer|cargo|flake|deno|mix|pubspec)\.(lock|lockb|ya?ml)$/,
  /(^|\/)pnpm-workspace\.ya?ml$/,
  /(^|\/)(pyproject|pipfile|cargo|uv|poetry|pixi)(\.toml|$)/,
  /(^|\/)(setup\.(py|cfg)|tox\.ini|noxfile\.py|conftest\.py|sitecustomize\.py|pipfile|environment\.ya?ml|[^/]+\.pth)$/,
  /(^|\/)[^/]*(requirements?|constraints)[^/]*\.txt$/,
  /(^|\/)(gemfile|rakefile|guardfile|capfile|[^/]+\.gemspec|go\.(mod|sum|work)|build\.rs|mix\.exs|pubspec\.ya?ml)$/,
  /(^|\/)(pom\.xml|(build|settings|init)\.gradle(\.kts)?|gradle\.properties|gradlew(\.bat)?|mvnw(\.cmd)?)$/,
  /(^|\/)(gradle\/wrapper|\.mvn)(\/|$)/,
  /(^|\/)\.(cargo|mise)\/|(^|\/)mise\/config\.toml$|(^|\/)\.?mise(\.[^/]+)?\.toml$/,
  /(^|\/)(\.(ruby|python)-version|rust-toolchain(\.toml)?|(runtime|apt|packages)\.txt|aptfile|berksfile|podfile)$/,
  /(^|\/)(package\.swift|build\.sbt|plugins\.sbt|build\.zig(\.zon)?|stack\.yaml|shard\.ya?ml|rebar\.config|deps\.edn|project\.clj|nuget\.config)$/,
  /(^|\/)([^/]+\.(cabal|[cf]sproj|sln)|directory\.(build|packages)\.(props|targets))$/,
  // Build tools
  /(^|\/)(\.moon\/|(moon\.ya?ml|pants\.toml|\.plzconfig|build\.xml|jamfile|sconscript|snakefile)$)/,
  /(^|\/)(buck|targets|\.buckconfig|\.bazel(version|iskrc))$/,
  /(^|\/)(gnu)?makefile([._-][^/]*)?$|\.mk$|(^|\/)make\.bat$/,
  /(^|\/)\.?(justfile|taskfile(\.[^/]*)?|cmakelists\.txt|meson\.build|magefile\.go|wscript|sconstruct)$/,
  /(^|\/)(gulpfile|gruntfile|jakefile)(\.[^/]*)?$/,
  /(^|\/)(workspace|(build|workspace|module)\.bazel|\.bazelrc|[^/]+\.bzl)$/,
  // Hooks
  /(^|\/)\.?(git-?hooks|husky|lefthook(-local)?)(\/|\.|$)/,
  /(^|\/)hooks\/(pre|post|commit-msg|prepare|update|applypatch|push|sendemail|fsmonitor|reference)[^/.]*$/,
  // Hosts of sites, and what they run for a branch
  /(^|\/)(netlify|vercel|now|wrangler|firebase|fly|render|railway|nixpacks|amplify|apprunner|serverless|heroku|zeabur|staticwebapp\.config|edgio\.config|app)\.(toml|jsonc?|ya?ml|[cm]?[jt]s)$/,
  /(^|\/)\.(netlify|vercel|firebaserc|wrangler|platform|platform\.app\.ya?ml|upsun|render|amplify|elasticbeanstalk|ebextensions)(\/|$)/,
  /(^|\/)\.?readthedocs\.ya?ml$/,
  /(^|\/)(appspec|\.cpanel|\.lagoon|\.?pantheon(\.upstream)?|acquia-pipelines|dokku|\.?deploy(er)?|azure)\.(ya?ml|json)$|(^|\/)deploy\.php$/,
  /(^|\/)(\.deployment|project\.toml|\.buildpacks|buildpack\.toml|dokku_scale|checks|fly\.[^/]+\.toml)$/,
  /(^|\/)(\.?static|scalingo|coolify|cron|zbpack(\.[^/]+)?|cloudronmanifest)\.json$/,
  /(^|\/)(config\/deploy(\.[^/]+)?\.ya?ml$|\.(kamal|do|coolify|scalingo|sevalla)(\/|$)|copilot\/.*manifest\.ya?ml$)/,
];
