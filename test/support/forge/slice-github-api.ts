// Cuts the operations that Headcount uses out of GitHub's published OpenAPI description, without its prose:
//   npm pack @octokit/openapi && tar -xzf octokit-openapi-*.tgz
//   npx node test/support/slice-github-api.ts package/generated/api.github.com.json > test/support/github-api.json
// The whole package takes 385 MB on disk, which is why it is no dependency.
import { readFile } from 'node:fs/promises';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const operations: readonly (readonly [string, string])[] = [
  ['/repos/{owner}/{repo}', 'get'],
  ['/repos/{owner}/{repo}/installation', 'get'],
  ['/repos/{owner}/{repo}/pulls', 'get'],
  ['/repos/{owner}/{repo}/pulls', 'post'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}', 'get'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}', 'patch'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/files', 'get'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/commits', 'get'],
  ['/repos/{owner}/{repo}/issues/{issue_number}/comments', 'get'],
  ['/repos/{owner}/{repo}/issues/{issue_number}/comments', 'post'],
  ['/repos/{owner}/{repo}/issues/{issue_number}/labels', 'post'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/comments', 'get'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies', 'post'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/reviews', 'get'],
  ['/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers', 'post'],
  ['/repos/{owner}/{repo}/commits/{ref}', 'get'],
  ['/repos/{owner}/{repo}/collaborators/{username}/permission', 'get'],
  ['/repos/{owner}/{repo}/commits/{ref}/check-runs', 'get'],
  ['/repos/{owner}/{repo}/commits/{ref}/status', 'get'],
  ['/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations', 'get'],
  ['/app/installations/{installation_id}/access_tokens', 'post'],
];

const prose = new Set([
  'description',
  'summary',
  'example',
  'examples',
  'externalDocs',
  'tags',
  'operationId',
  'title',
  'links',
]);

const source = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as { [key: string]: Json };
const slice: { [key: string]: Json } = {
  openapi: source.openapi ?? null,
  info: {
    title: 'Slice of the GitHub REST API description (MIT, GitHub Inc.)',
    version: at(source, ['info', 'version']),
  },
  paths: {},
  components: {},
};
for (const [path, method] of operations) copy(['paths', path, method]);
process.stdout.write(`${JSON.stringify(slice, null, 1)}\n`);

function at(from: Json, keys: readonly string[]): Json {
  return keys.reduce<Json>((value, key) => (value as { [key: string]: Json })[key] ?? null, from);
}

/** Copies one part to its place in the slice, and then all that it refers to. */
function copy(keys: readonly string[]): void {
  let target = slice;
  for (const key of keys.slice(0, -1)) {
    target[key] ??= {};
    target = target[key] as { [key: string]: Json };
  }
  const last = keys.at(-1) ?? '';
  if (last in target) return;
  const part = strip(at(source, keys), false);
  target[last] = part;
  for (const reference of JSON.stringify(part).matchAll(/"\$ref":"#\/([^"]+)"/g))
    copy((reference[1] ?? '').split('/'));
}

/** @param named whether the keys here are names of things, such as a property "description", and no keywords */
function strip(value: Json, named: boolean): Json {
  if (Array.isArray(value)) return value.map((item) => strip(item, false));
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([key]) => named || !(prose.has(key) || key.startsWith('x-')));
  return Object.fromEntries(kept.map(([key, item]) => [key, strip(item, !named && key === 'properties')]));
}
