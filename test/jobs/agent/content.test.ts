import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../server/jobs/agent/limits.ts';
import { Folder } from '../../../server/jobs/agent/tools/folder.ts';
import { runTool } from '../../../server/jobs/agent/tools/tool.ts';
import { createToolbox } from '../../../server/jobs/agent/tools/toolbox.ts';
import { createPathRules } from '../../../server/jobs/git/path-rules.ts';
import { makeSite } from '../../support/jobs/agent/agent-site.ts';

/** What builds, previews, installers, editors and other agents run or obey, by the ecosystem it is of. */
const running = `
package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml .npmrc .yarnrc .yarnrc.yml
.pnpmfile.cjs .yarn/releases/yarn.cjs bun.lockb bunfig.toml deno.json deno.jsonc jsr.json lerna.json nx.json turbo.json
rush.json .nvmrc .node-version .tool-versions mise.toml .mise.toml volta.json node_modules/x/index.js
Makefile makefile GNUmakefile docs/Makefile make.bat justfile Justfile Taskfile.yml Rakefile Gemfile Gemfile.lock x.gemspec
Dockerfile docker/Dockerfile.dev docker-compose.yml compose.yaml Containerfile .dockerignore Vagrantfile Earthfile
Procfile app.json app.yaml fly.toml railway.json render.yaml heroku.yml nixpacks.toml project.toml now.json
netlify.toml netlify/functions/a.js _headers _redirects vercel.json wrangler.toml wrangler.jsonc firebase.json amplify.yml
_worker.js functions/hello.js edge.ts static.json .platform.app.yaml readthedocs.yml .readthedocs.yaml .readthedocs.yml
.mergify.yml .github/mergify.yml .kodiak.toml bors.toml renovate.json .renovaterc .github/renovate.json5 .github/settings.yml
.github/dependabot.yml .github/FUNDING.yml .github/ISSUE_TEMPLATE/bug.md .github/copilot-instructions.md codecov.yml .snyk
conf.py docs/conf.py setup.py setup.cfg pyproject.toml tox.ini noxfile.py requirements.txt docs/requirements.txt
requirements-dev.txt requirements/docs.txt constraints.txt Pipfile poetry.lock uv.lock environment.yml runtime.txt manage.py
tasks.py hooks.py main.py sitecustomize.py x.pth CMakeLists.txt meson.build conanfile.txt configure WORKSPACE BUILD.bazel
next.config.js next.config.mjs next.config.ts nuxt.config.ts astro.config.mjs svelte.config.js vite.config.ts vitest.config.ts
gatsby-config.js gatsby-node.js docusaurus.config.js sidebars.js sidebars.ts babel.config.js .babelrc postcss.config.js
tailwind.config.js webpack.config.js rollup.config.js eleventy.config.js .eleventy.js .eleventyrc tsconfig.json jsconfig.json
.eslintrc.js eslint.config.mjs .prettierrc.js prettier.config.js biome.json jest.config.js playwright.config.ts
.vitepress/config.ts .vuepress/config.js .storybook/main.js _config.yml _plugins/a.rb config.toml hugo.toml hugo.yaml
layouts/index.html layouts/_default/single.html _includes/head.html archetypes/default.go book.toml antora.yml
antora-playbook.yml mdx-components.tsx theme.config.tsx _meta.js _meta.ts _document.js middleware.ts pages/api/hello.ts
pages/index.tsx src/hooks/use-page.ts src/index.js components/Card.jsx app/page.tsx index.html assets/a.css logo.svg
build.sh run.sh scripts/deploy.sh bin/tool deploy.ps1 build.cmd Brewfile flake.nix default.nix shell.nix build.gradle pom.xml
go.mod main.go Cargo.toml build.rs composer.json mix.exs index.php db/schema.sql data/site.yml data.json openapi.yaml
githooks/pre-commit hooks/post-checkout .githooks/pre-push .husky/pre-commit lefthook.yml .pre-commit-config.yaml
.gitignore .gitattributes .gitmodules .git-blame-ignore-revs .env .env.local .envrc .direnvrc .editorconfig .vimrc .exrc
.vscode/settings.json .vscode/tasks.json .idea/workspace.xml .devcontainer/devcontainer.json .gitpod.yml sonar.properties
AGENTS.md docs/AGENTS.md agents.md AGENTS.override.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md SKILL.md skills/a/SKILL.md
.cursorrules .cursor/rules/a.mdc .windsurfrules .clinerules .claude/commands/a.md .mcp.json x.instructions.md a.prompt.md
Jenkinsfile .travis.yml .gitlab-ci.yml .circleci/config.yml azure-pipelines.yml bitbucket-pipelines.yml cloudbuild.yaml
robots.txt static/robots.txt ads.txt app-ads.txt security.txt public/.well-known/security.txt .well-known/a.md trust.txt CNAME
public/_redirects static/_headers .htaccess page.md.js page.js.md~ page.md:stream.js page.org page.Rmd page.ipynb page.md.vue page.tex md .md docs/.hidden.md page
`
  .split(/\s+/)
  .filter((path) => path !== '');

const content = `
README.md index.md docs/guide/start.md docs/page.mdx CHANGELOG.markdown docs/api.rst docs/intro.adoc docs/a.asciidoc notes.txt
llms.txt docs/install.txt docs/日本語.md docs/a.b.c.md PAGE.MD docs/build.md docs/git.md
images/logo.png a.jpg a.JPEG a.gif a.webp a.avif favicon.ico docs.json mint.json docs/mint.json pages/_meta.json
docs/_category_.json docs/_category_.yml sidebars.json SUMMARY.md _sidebar.md toc.yml _toc.yml mkdocs.yml nav.adoc
docs/workflows/a.md docs/claude-code.md docs/agents/index.md
`
  .split(/\s+/)
  .filter((path) => path !== '');

/** What no project can leave to agents, as a build service or a host runs or obeys it for any branch. */
const ofBuilds = `
.zuul.yaml .zuul.yml zuul.yaml zuul.d/a.yaml .zuul.d/jobs.yaml .pipelines/x.yml azure-pipelines.yml
azure-pipelines/build.yml ci/azure-pipelines.release.yaml .azuredevops/a.yml Jenkinsfile ci/Jenkinsfile.prod
x.Jenkinsfile .drone.yml .drone.jsonnet drone.yml .woodpecker.yml .woodpecker/build.yaml woodpecker.yml
.buildkite/pipeline.yml buildkite.yml cloudbuild.yaml deploy/cloudbuild-prod.yaml appveyor.yml .appveyor.yml
.travis.yml .travis.yaml bitbucket-pipelines.yml codemagic.yaml bitrise.yml action.yml actions/x/action.yaml
Dockerfile docker/Dockerfile.dev web.Dockerfile Containerfile docker-compose.yml compose.yaml compose.prod.yml
package.json packages/a/package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml
pnpm-workspace.yaml .npmrc docs/.npmrc .yarnrc .yarnrc.yml .yarn/releases/yarn.cjs .pnpmfile.cjs bun.lockb bunfig.toml
deno.json Makefile GNUmakefile docs/Makefile Makefile.in rules.mk make.bat justfile Taskfile.yml Rakefile Gemfile
Gemfile.lock x.gemspec .husky/pre-commit hooks/pre-commit githooks/pre-push .githooks/x lefthook.yml
.devcontainer/devcontainer.json .devcontainer.json .devcontainer/Dockerfile netlify.toml vercel.json vercel.ts
.vercel/project.json .netlify/state.json wrangler.toml wrangler.jsonc firebase.json fly.toml render.yaml railway.json
heroku.yml nixpacks.toml amplify.yml now.json app.json pyproject.toml setup.py setup.cfg tox.ini noxfile.py
requirements.txt docs/requirements.txt requirements-dev.txt Pipfile Pipfile.lock poetry.lock uv.lock Cargo.toml
build.rs go.mod pom.xml build.gradle build.gradle.kts gradlew composer.json renovate.json .renovaterc.json
.mergify.yml .goreleaser.yml .releaserc .gitlab-ci.yml ci/build.gitlab-ci.yml .circleci/config.yml
.github/workflows/a.yml .readthedocs.yaml readthedocs.yml .gitpod.yml flake.nix shell.nix main.tf CMakeLists.txt
OWNERS .asf.yaml .cirrus.yml .semaphore/semaphore.yml Vagrantfile Procfile Earthfile WORKSPACE BUILD.bazel
.tool-versions mise.toml .mise.toml turbo.json nx.json PACKAGE.JSON Package.Json .ZUUL.yaml docker-bake.hcl
serverless.yml .buildspec.yml buildspec.yml .harness/pipeline.yaml .prow.yaml screwdriver.yaml .scrutinizer.yml
codeship-steps.yml semaphore.yml .screwdriver/x.yaml .tekton/push.yaml .teamcity/settings.kts .builds/a.yml .build.yml
.ci/run staticwebapp.config.json
appspec.yml .deployment .cpanel.yml .lagoon.yml captain-definition config/deploy.yml config/deploy.staging.yml
.kamal/secrets .kamal/hooks/pre-build okteto.yml devspace.yaml werf.yaml .vela.yml .agola/config.yml .sr.ht/build.yml
.gitlab/ci/a.yml .gitlab/agents/x/config.yaml dagger.json fastlane/Fastfile BUILD BUCK TARGETS .buckconfig
.cargo/config.toml .cargo/config .moon/tasks.yml moon.yml Pulumi.yaml Pulumi.prod.yaml fly.prod.toml project.toml
zbpack.json dokku.yml DOKKU_SCALE CHECKS .coolify/x garden.yml x.garden.yml devbox.json devenv.yaml mise.local.toml
.mise/config.toml mise/config.toml .overcommit.yml .lintstagedrc.json lint-staged.config.js .s2i/bin/assemble
.do/deploy.template.yaml Chart.yaml kustomization.yaml helmfile.yaml cdk.json samconfig.toml sst.config.ts
copilot/api/manifest.yml azure.yaml build.sbt build.zig stack.yaml x.cabal Package.swift Podfile shard.yml deps.edn
x.csproj Directory.Build.props pants.toml build.xml scalingo.json cron.json static.json .replit .ruby-version
.python-version runtime.txt apt.txt Aptfile rust-toolchain.toml bamboo-specs/bamboo.yml release.config.js .lando.yml
.ddev/config.yaml .tugboat/config.yml pantheon.yml acquia-pipelines.yml deploy.php .buildpacks .trunk/trunk.yaml
devfile.yaml .rultor.yml .pre-commit-config.yaml skaffold.yaml Tiltfile
`
  .trim()
  .split(/\s+/);

/** What a project may name, as it is its own business what its generator makes of it. */
const ofProjects = `
docs/page.md data/site.yml data/build.yml docs/build src/hooks/use-page.ts .github/FUNDING.yml docusaurus.config.js
conf.py docs/conf.py mkdocs.yml _redirects _headers assets/a.css logo.svg src/pages/index.tsx data/packages.json
openapi.yaml api/openapi.json layouts/index.html _config.yml hugo.toml book.toml antora.yml data/pipeline-words.txt
Dockerfile.md docs/make.md data/workflow-names.yml src/build/index.ts i18n/de.json static/app.css data/app-names.json
src/components/owners.tsx data/compose-key.json docs/hooks/pre.md sidebars.js docs/package.md
`
  .trim()
  .split(/\s+/);

describe('what a project has not named', () => {
  const { findRefusal } = createPathRules([]);

  test('is refused where something runs it', () => {
    expect(running.length).toBeGreaterThan(200);
    expect(running.filter((path) => findRefusal(path) === undefined)).toEqual([]);
  });

  test('is content where it is pages, images or navigation', () => {
    expect(content.filter((path) => findRefusal(path) !== undefined)).toEqual([]);
  });
});

describe('what a project names', () => {
  test('may be changed besides content, but for what git and code hosts obey', () => {
    const { findRefusal } = createPathRules(['data/**', '*.css', '**']);
    expect(findRefusal('data/site.yml')).toBeUndefined();
    expect(findRefusal('src/pages/index.tsx')).toBeUndefined();
    expect(findRefusal('.github/workflows/ci.yml')).toContain('build service');
    expect(findRefusal('.gitattributes')).toContain('git');
    expect(findRefusal('AGENTS.md')).toContain('other agents');
  });

  test.each([
    [['**']],
    [['**/*', '*', '.*', '**/.*', '**/.*/**']],
    [ofBuilds],
    [ofBuilds.map((path) => path.replace(/.$/, '[^/]'))],
  ])('is never what build services and hosts run or obey, with any patterns', (globs) => {
    const { findRefusal } = createPathRules(globs);
    expect(ofBuilds.filter((path) => findRefusal(path) === undefined)).toEqual([]);
    // Nor as a file system that folds names takes it for one.
    const folded = ofBuilds.flatMap((path) => [path.toUpperCase(), `${path}.`, `sub/${path}\u200b`]);
    expect(folded.filter((path) => findRefusal(path) === undefined)).toEqual([]);
  });

  test('may be what its generator reads', () => {
    const { findRefusal } = createPathRules(['**']);
    expect(ofProjects.filter((path) => findRefusal(path) !== undefined)).toEqual([]);
  });

  test('is for other agents only when it is named without a wildcard', () => {
    const { findRefusal } = createPathRules(['AGENTS.md', '**/CLAUDE.md']);
    expect(findRefusal('AGENTS.md')).toBeUndefined();
    expect(findRefusal('docs/CLAUDE.md')).toBeUndefined();
    expect(findRefusal('docs/AGENTS.md')).toBeDefined();
  });

  test('after a "!" is kept from agents, content too', () => {
    const { findRefusal } = createPathRules(['!**/*.mdx', '!legal/**']);
    expect(findRefusal('docs/a.mdx')).toContain('--agent-paths');
    expect(findRefusal('legal/imprint.md')).toContain('--agent-paths');
    expect(findRefusal('docs/a.md')).toBeUndefined();
  });
});

async function makeTools(files: Record<string, string>, paths: string[] = []) {
  const site = await makeSite(files);
  const tools = createToolbox(new Folder(site.directory, defaultLimits, { paths }), '/usr/bin:/bin');
  const call = (name: string, input: object) => runTool(tools, { name, input }, new AbortController().signal);
  return { site, call };
}

describe('an agent that', () => {
  test('asks for a file that is not content learns what it is, and what to do', async () => {
    const { call, site } = await makeTools({ 'package.json': '{}', 'page.md': 'A page.\n' });
    const refused = [
      await call('write', { path: 'package.json', content: '{"scripts":{"build":"curl evil"}}' }),
      await call('delete', { path: 'package.json' }),
      await call('move', { from: 'package.json', to: 'a.md' }),
      await call('move', { from: 'page.md', to: 'next.config.js' }),
      await call('write', { path: 'netlify.toml', content: 'x' }),
    ];
    for (const { ok, output } of refused) {
      expect(ok).toBe(false);
      expect(output).toMatch(
        /neither a page nor an image nor navigation.*--agent-paths.*Say in your summary/,
      );
    }
    expect(await site.read('package.json')).toBe('{}');
    expect(await call('read', { path: 'package.json' })).toMatchObject({ ok: true });
  });

  test('edits a pointer of Git LFS is refused', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n';
    const { call } = await makeTools({ 'a.png': pointer, 'b.md': 'b\n', 'data/a.bin': pointer }, ['data/**']);
    for (const path of ['a.png', 'data/a.bin']) {
      const { ok, output } = await call('edit', { path, old: '4d7a', new: 'beef' });
      expect([ok, output]).toEqual([false, expect.stringContaining('Git LFS')]);
    }
    expect(await call('write', { path: 'b.md', content: pointer })).toMatchObject({ ok: false });
    expect(await call('move', { from: 'a.png', to: 'c.png' })).toMatchObject({ ok: true });
  });
});

const mkdocs = `site_name: Docs
plugins:
  - search
nav:
  - Home: index.md
  - Guide:
      - guide/start.md
hooks:
  - hooks.py
`;

describe('mkdocs.yml', () => {
  test.each([
    ['  - Home: index.md\n', '  - Home: index.md\n  - "How to: keys": keys.md\n'],
    ['      - guide/start.md\n', "      - 'It''s': guide/start.md\n      # later\n".replace("''", '')],
    ['  - Home: index.md\n', ''],
    ['Home: index.md', "What's new? (C#, 1.0): https://example.com/new"],
  ])('takes another navigation: %j', async (old, text) => {
    const { call } = await makeTools({ 'mkdocs.yml': mkdocs });
    expect(await call('edit', { path: 'mkdocs.yml', old, new: text })).toMatchObject({ ok: true });
  });

  test.each([
    ['  - hooks.py', '  - evil.py'],
    ['  - search', '  - search\n  - macros'],
    ['site_name: Docs', 'site_name: !!python/object/apply:os.system ["id"]'],
    ['nav:\n', 'INHERIT: evil.yml\nnav:\n'],
    ['  - Home: index.md', '  - Home: !!python/object/apply:os.system ["id"]'],
    ['  - Home: index.md', '  - Home: !ENV SECRET'],
    ['  - Home: index.md', '  - Home: "index.md'],
    ['  - Home: index.md', '  - Home: &a index.md'],
    ['  - Home: index.md', '  - {Home: index.md}'],
    ['  - Home: index.md', '  - Home: index.md\nextra_javascript:\n  - evil.js'],
    ['hooks:', 'nav:\n  - a.md\nhooks:'],
  ])('is refused for %j becoming %j', async (old, text) => {
    const { call, site } = await makeTools({ 'mkdocs.yml': mkdocs });
    const { ok, output } = await call('edit', { path: 'mkdocs.yml', old, new: text });
    expect([ok, output]).toEqual([false, expect.stringContaining('below "nav:"')]);
    expect(await site.read('mkdocs.yml')).toBe(mkdocs);
  });

  test('is neither made, moved nor deleted', async () => {
    const { call } = await makeTools({ 'mkdocs.yml': mkdocs, 'a.md': 'a\n' });
    expect(await call('delete', { path: 'mkdocs.yml' })).toMatchObject({ ok: false });
    expect(await call('move', { from: 'mkdocs.yml', to: 'b.md' })).toMatchObject({ ok: false });
    expect(await call('write', { path: 'docs/mkdocs.yml', content: 'nav:\n  - a.md\n' })).toMatchObject({
      ok: false,
    });
  });
});

const mintlify = {
  name: 'Docs',
  api: { openapi: 'api.json' },
  redirects: [{ source: '/a', destination: '/b' }],
  navigation: {
    tabs: [
      { tab: 'Docs', groups: [{ group: 'Guides', pages: ['index'] }] },
      { tab: 'API', openapi: 'a.json' },
    ],
  },
};

describe.each(['docs.json', 'website/mint.json'])('%s', (path) => {
  const open = async (paths: string[] = []) => {
    const tools = await makeTools({ [path]: JSON.stringify(mintlify, null, 2), 'a.md': 'a\n' }, paths);
    const change = (changes: object) =>
      tools.call('write', { path, content: JSON.stringify({ ...mintlify, ...changes }, null, 2) });
    return { ...tools, change };
  };

  test.each<object>([
    { tabs: [] },
    { tabs: [{ tab: 'Docs', pages: ['index', 'a', 'b/c'] }] },
    {
      tabs: [
        { tab: 'API', openapi: 'a.json' },
        { tab: 'Site', href: 'https://example.com' },
      ],
    },
  ])('takes another navigation: %j', async (navigation) => {
    const { change } = await open();
    expect(await change({ navigation })).toMatchObject({ ok: true });
  });

  test('takes redirects within the site', async () => {
    const { change } = await open();
    const redirects = [...mintlify.redirects, { source: '/c', destination: '/d', permanent: false }];
    expect(await change({ redirects })).toMatchObject({ ok: true });
  });

  test.each<object>([
    { integrations: { gtm: { tagId: 'GTM-EVIL' } } },
    { api: { openapi: 'https://evil.test/a.json' } },
    ...[
      { source: '/login', destination: 'https://evil.test' },
      { source: '/login', destination: '//evil.test' },
      { source: '/login', destination: '/\\\\evil.test' },
      { source: 'https://evil.test', destination: '/b' },
      { source: '/c', destination: '/b', has: [] },
    ].map((redirect) => ({ redirects: [...mintlify.redirects, redirect] })),
    { redirects: [] },
    { redirects: undefined },
    { name: 'Other' },
    { navigation: undefined },
    { navigation: { tabs: [{ tab: 'API', openapi: 'https://evil.test/a.json' }] } },
    { navigation: { pages: ['a'], global: { anchors: [{ anchor: 'A', href: 'javascript:evil()' }] } } },
    { navigation: { $ref: '../../a.json' } },
  ])('is refused %j', async (changes) => {
    const { change } = await open();
    expect(await change(changes)).toMatchObject({
      ok: false,
      output: expect.stringMatching(/below "navigation"|navigation names pages/),
    });
    const named = await open([path]);
    expect(await named.change(changes)).toMatchObject({ ok: true });
  });

  test('is neither made, moved nor deleted, and stays JSON', async () => {
    const { call } = await open();
    expect(await call('delete', { path })).toMatchObject({ ok: false });
    expect(await call('move', { from: path, to: 'b.md' })).toMatchObject({ ok: false });
    expect(await call('write', { path, content: '{"navigation": ' })).toMatchObject({ ok: false });
    expect(await call('write', { path: 'new/docs.json', content: '{"navigation": []}' })).toMatchObject({
      ok: false,
    });
  });
});

test.each([
  ['sidebars.json', '{"docs": ["a", {"type": "html", "value": "<script>evil()</script>"}]}'],
  ['sidebars.json', '{"docs": ["a", {"type": "\\u0068tml", "value": "\\u003cscript>"}]}'],
  ['_meta.json', '{"a": {"href": "javascript:evil()"}}'],
  ['toc.yml', '- name: !!python/object/apply:os.system ["id"]'],
])('%s names pages and links, and no %s', async (path, content) => {
  const { call } = await makeTools({ 'a.md': 'a\n' });
  expect(await call('write', { path, content })).toMatchObject({ ok: false });
  expect(
    await call('write', { path, content: '{"a": {"title": "A", "href": "https://example.com"}}' }),
  ).toMatchObject({
    ok: true,
  });
});

const page = `---
title: A page
---
import { Card } from '../card.jsx'
export const year = new Date().getFullYear()

# Title

Since {year}.

<Card icon="key" cols={2}>
  Text
</Card>

- one
- two
`;

describe('an MDX page', () => {
  test.each([
    ['Since {year}.', 'In {year}, and \\{braces}.'],
    ['Text', 'Text with `{code()}` and `` `{x()}` ``.'],
    ['  Text', '```js\nimport fs from "node:fs"\nconst a = { b: c() }\n```'],
    ['  Text', '  ```js title="a"\n  import fs from "node:fs"\n\n  run({ a })\n  ```\n  More'],
    ['- two', '- two\n\n  ```sh\n  echo {HOME}\n  ```\n- three'],
    [
      '- one',
      '<Card items={["a", "b"]} style={{ color: "red", size: -1.5 }} open={true} />\n\n{/* a note */}',
    ],
    ['- one', 'They import the data\nand export it, too. Import it <b title="{x()}">here</b>.'],
  ])('takes text, code to show, and plain values: %j becomes %j', async (old, text) => {
    const { call } = await makeTools({ 'page.mdx': page });
    expect(await call('edit', { path: 'page.mdx', old, new: text })).toMatchObject({ ok: true });
  });

  test.each([
    ['# Title', 'import fs from "node:fs"\n\n# Title'],
    ['# Title', '# Title\nimport "node:fs"'],
    ['# Title', 'export const a = fetch("https://evil.example")\n\n# Title'],
    ['# Title', 'export default ({ children }) => evil(children)\n\n# Title'],
    ['getFullYear()', 'getFullYear() + evil()'],
    ['{year}', '{process.env.SECRET}'],
    ['{year}', '{year}{`{evil()}`}'],
    ['cols={2}', 'cols={evil()}'],
    ['cols={2}', '{...evil()}'],
    ['cols={2}', 'cols={{ get a() { return evil() } }}'],
    ['Text', '`a {evil()} b'],
    ['Text', 'a `b\n  c` {evil()} `d'],
    ['Text', '<A b="`" {...evil()} c="`">x</A>'],
    ['- one', '- ```\n  a\n  ```\n\n  {evil()}\n\n  ```\n  ```'],
    ['- one', '> ```\n> a\n\n{evil()}\n\n```\n```'],
    ['- one', '  ```\na\n\n{evil()}\n\n  ```'],
    ['- one', '{/* a */ evil()}'],
    ['- one', '{[1].map(evil)}'],
  ])('is refused what a build would run: %j becoming %j', async (old, text) => {
    const { call, site } = await makeTools({ 'page.mdx': page });
    const { ok, output } = await call('edit', { path: 'page.mdx', old, new: text });
    expect([ok, output]).toEqual([false, expect.stringContaining('a build would run')]);
    expect(await site.read('page.mdx')).toBe(page);
  });

  test('can hold anything where the project names it', async () => {
    const { call } = await makeTools({ 'page.mdx': page }, ['**/*.mdx']);
    const edit = { path: 'page.mdx', old: '{year}', new: '{now()}' };
    expect(await call('edit', edit)).toMatchObject({ ok: true });
  });

  test('is not made of a page in Markdown that holds code', async () => {
    const { call } = await makeTools({ 'a.md': 'Say {evil()}.\n' });
    expect(await call('move', { from: 'a.md', to: 'b.md' })).toMatchObject({ ok: true });
    expect(await call('move', { from: 'b.md', to: 'b.mdx' })).toMatchObject({ ok: false });
  });

  test('and any other page gets no front matter that is run', async () => {
    const { call } = await makeTools({ 'a.md': 'Text.\n' });
    const content = '---js\n{ title: evil() }\n---\nText.\n';
    expect(await call('write', { path: 'a.md', content })).toMatchObject({
      ok: false,
      output: expect.stringContaining('front matter'),
    });
    expect(await call('write', { path: 'a.md', content: '---\ntitle: A\n---\nText.\n' })).toMatchObject({
      ok: true,
    });
  });
});
