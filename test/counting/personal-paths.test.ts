import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paths } from '../../bench/load/traffic.ts';
import { randomNumbers } from '../../bench/random.ts';
import { maskPersonalParts } from '../../server/counting/page/page.ts';
import { runHeadcount } from '../support/child.ts';
import { makeDataset } from '../support/dataset/dataset.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { combined, otherPerson, startImport } from '../support/import/import-run.ts';

let headcount: Headcount;

beforeAll(async () => {
  headcount = await startHeadcount();
});
afterAll(() => headcount.stop());

const uuid = '550e8400-e29b-41d4-a716-446655440000';
const token = 'V1StGXR8_Z5jdHi6B-myT';

describe('a hit counts under a path without what points to one person', () => {
  test.each([
    ['/users/anna@example.com', '/users/:email'],
    ['/users/anna%40example.com/edit', '/users/:email/edit'],
    ['/users/anna%2540example.com', '/users/:email'],
    ['/u/anna.b+news@mail.example.co.uk', '/u/:email'],
    ['/u/anna%2Bnews%40example.com.html', '/u/:email.html'],
    ['/u/j%C3%B6rg@b%C3%BCcher.example', '/u/:email'],
    ['/to/anna@example.com,bob@example.org', '/to/:email,:email'],
    [`/orders/${uuid}`, '/orders/:id'],
    [`/orders/${uuid.toUpperCase()}.pdf`, '/orders/:id.pdf'],
    [`/orders/%7B${uuid}%7D`, '/orders/%7B:id%7D'],
    [`/${uuid}/${uuid}`, '/:id/:id'],
    [`/reset/${token}/anna@example.com`, '/reset/:token/:email'],
    ['/reset/d41d8cd98f00b204e9800998ecf8427e', '/reset/:token'],
    ['/commit/DA39A3EE5E6B4B0D3255BFEF95601890AFD80709', '/commit/:token'],
    ['/reset/MQ/c8xk2p-5f1d2c3b4a5e6f708192a3b4c5d6e7f8', '/reset/MQ/:token'],
    ['/My-Page-Title-0123456789abcdef0123456789abcdef', '/My-Page-Title-:token'],
    ['/magic/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1g', '/magic/:token'],
    ['/s/cHJpdmF0ZSBrZXkgMDEyMzQ1Njc4OQ==', '/s/:token'],
    ['/invite/01ARZ3NDEKTSV4RRFFQ69G5FAV', '/invite/:token'],
    ['/invite/cjld2cjxh0000qzrmn831i7rn', '/invite/:token'],
    ['/share/uP3xK9fQ2mQp8ZrT4vW1nB7cD/photo-1', '/share/:token/photo-1'],
    ['/list?page=anna@example.com', '/list?page=:email'],
    [`/list?page=${token}`, '/list?page=:token'],
    ['/a@b.cc@d.ee', '/:email'],
    ['/a@b.cc@d', '/:email@d'],
    // What is no such thing.
    ['/how-to-build-a-house-in-2026-part-2', '/how-to-build-a-house-in-2026-part-2'],
    ['/docs/a1b2c3d/index.html', '/docs/a1b2c3d/index.html'],
    ['/releases/v1.2.3-beta.4+build.20261122', '/releases/v1.2.3-beta.4+build.20261122'],
    ['/2026/11/22/14-30-00', '/2026/11/22/14-30-00'],
    ['/api/convertUint8ArrayToBase64', '/api/convertUint8ArrayToBase64'],
    ['/api/WKWebViewConfiguration', '/api/WKWebViewConfiguration'],
    ['/api/XMLHttpRequestEventTarget', '/api/XMLHttpRequestEventTarget'],
    ['/api/D3D12_RESOURCE_STATE_VIDEO_DECODE_READ', '/api/D3D12_RESOURCE_STATE_VIDEO_DECODE_READ'],
    ['/api/VK_FORMAT_R16G16B16A16_SFLOAT', '/api/VK_FORMAT_R16G16B16A16_SFLOAT'],
    ['/api/_mm256_cvtepi32_epi64', '/api/_mm256_cvtepi32_epi64'],
    ['/Donaudampfschifffahrtsgesellschaft', '/Donaudampfschifffahrtsgesellschaft'],
    ['/rindfleischetikettierungsueberwachung', '/rindfleischetikettierungsueberwachung'],
    ['/lenovo-thinkpad-x1-carbon-gen-9-20xw005uge', '/lenovo-thinkpad-x1-carbon-gen-9-20xw005uge'],
    ['/iphone-15-pro-vs-samsung-s24-ultra', '/iphone-15-pro-vs-samsung-s24-ultra'],
    ['/IMG_20260101_123456_HDR', '/IMG_20260101_123456_HDR'],
    ['/%D0%BA%D0%B0%D0%BA-%D0%BF%D0%BE%D1%81', '/%D0%BA%D0%B0%D0%BA-%D0%BF%D0%BE%D1%81'],
    ['/npm/react@18.2.0/umd', '/npm/react@18.2.0/umd'],
    ['/img/icon@2x.png', '/img/icon@2x.png'],
    ['/@anna', '/@anna'],
    ['/maps/@52.5,13.4,15z', '/maps/@52.5,13.4,15z'],
    ['/users/12345678901', '/users/12345678901'],
    ['/watch/dQw4w9WgXcQ', '/watch/dQw4w9WgXcQ'],
  ])('%s as %s', async (path, counted) => {
    const project = await headcount.addProject({ keptParameters: ['page'] });
    expect((await project.hit({ u: `https://example.com${path}` })).status).toBe(202);
    expect(Object.keys(await project.views())).toEqual([counted]);
  });

  test('in a route of the fragment too', async () => {
    const project = await headcount.addProject();
    await project.hit({ u: `https://example.com/app#/reset/${token}`, h: 1 });
    expect(Object.keys(await project.views())).toEqual(['/app#/reset/:token']);
  });

  test.each([
    ['anna@example.com', ':email'],
    ['jörg@example.com', ':email'],
    ['anna@köln.example', ':email'],
    ['anna@例え.テスト', ':email'],
    [uuid, ':id'],
    [token, ':token'],
    ['Newsletter-2026', 'newsletter-2026'],
  ])('so is the source that utm_source=%s names', async (source, counted) => {
    const project = await headcount.addProject();
    await project.hit({ u: `https://example.com/?utm_source=${encodeURIComponent(source)}` });
    const { sources } = await project.get<{ sources: { source: string }[] }>(
      `/v1/analytics/${project.projectId}/sources`,
    );
    expect(sources.map(({ source }) => source)).toEqual([counted]);
  });

  test('whichever way it comes in', async () => {
    const run = await startImport();
    const { project } = run;
    const log = await run.write('access.log', combined({ at: '2026-01-02T03:04:05Z', path: `/a/${token}` }));
    await run.import([log]);
    await project.hits([{ url: `https://a.example/b/${token}.md`, ip: '192.0.2.1', userAgent: otherPerson }]);
    const pixel = new URLSearchParams({ p: project.projectId, u: `https://a.example/c/${token}` });
    await fetch(`${run.headcount.url}/v1/pixel.gif?${pixel}`, { headers: { 'user-agent': otherPerson } });
    expect(Object.keys(await project.views()).sort()).toEqual(['/a/:token', '/b/:token', '/c/:token']);
    await run.stop();
  });
});

test('excluded paths are compared as they come', async () => {
  const project = await headcount.addProject({ excludedPaths: ['/users/*@example.com'] });
  const reply = await project.hit({ u: 'https://example.com/users/anna@example.com' });
  expect(reply.headers.get('x-headcount-dropped')).toBe('excluded_path');
});

test('two visitors of two such pages are two visitors of one page', async () => {
  const project = await headcount.addProject();
  await project.hit({ u: `https://example.com/reset/${uuid}` });
  await project.hit({ u: `https://example.com/reset/${uuid.replace('5', '6')}` });
  await project.hit({ u: `https://example.com/reset/${uuid}` }, { 'user-agent': otherPerson });
  expect(await project.visitors()).toEqual({ '/reset/:id': { human: 2, ai: 0, total: 2 } });
  expect(await project.views()).toEqual({ '/reset/:id': { human: 3, ai: 0, total: 3 } });
});

test('a project can keep them, from the command line too', async () => {
  const { hit, projectId, views } = await headcount.addProject({ personalPaths: 'keep' });
  await hit({ u: 'https://example.com/users/anna@example.com' });
  expect(Object.keys(await views())).toEqual(['/users/anna@example.com']);

  const set = (value: string) =>
    runHeadcount(['project', 'set', projectId, '--personal-paths', value], {
      HEADCOUNT_DATA_DIR: headcount.dataDir,
    });
  const refused = await set('yes');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('--personal-paths must be "mask" or "keep".');
  expect((await set('mask')).code).toBe(0);
  await headcount.context.registry.refresh();
  await hit({ u: 'https://example.com/users/anna@example.com' });
  expect(Object.keys(await views()).sort()).toEqual(['/users/:email', '/users/anna@example.com']);
});

describe('the rule', () => {
  const digits = '0123456789';
  const lower = 'abcdefghijklmnopqrstuvwxyz';
  const mixed = digits + lower + lower.toUpperCase();

  /** How many of a thousand tokens it finds. */
  function found(alphabet: string, length: number): number {
    const random = randomNumbers(length);
    const draw = () => alphabet[Math.floor(random() * alphabet.length)];
    const tokens = Array.from({ length: 1000 }, () => Array.from({ length }, draw).join(''));
    return tokens.filter((text) => !maskPersonalParts(`/reset/${text}/new`).includes(text)).length;
  }

  test.each([
    ['nanoids', `${mixed}-_`, 21, 970],
    ['16 bytes in base64url', `${mixed}-_`, 22, 970],
    ['24 bytes in base64url', `${mixed}-_`, 32, 990],
    ['32 bytes in base64url', `${mixed}-_`, 43, 995],
    ['20 characters of base62', mixed, 20, 970],
    ['10 bytes in hexadecimal', `${digits}abcdef`, 20, 1000],
    ['24 characters of base36', digits + lower, 24, 850],
  ])('finds nearly all %s', (_, alphabet, length, least) => {
    expect(found(alphabet, length)).toBeGreaterThanOrEqual(least);
  });

  test('changes no page of the sites that tests and measurements have', () => {
    const dataset = makeDataset({ days: 20 }).flatMap(({ views }) =>
      views.flatMap(({ fate }) => (fate.dropped === undefined ? [fate.path] : [])),
    );
    const known = new Set([...dataset, ...paths]);
    expect(known.size).toBeGreaterThan(300);
    expect([...known].filter((path) => maskPersonalParts(path) !== path)).toEqual([]);
  });

  const part = fc.oneof(
    fc.webPath(),
    fc.emailAddress().map((address) => `/${encodeURIComponent(address)}`),
    fc.uuid().map((id) => `/${id}`),
    fc.base64String({ minLength: 20 }).map((text) => `/${encodeURIComponent(text)}`),
    fc.string({
      unit: fc.constantFrom('@', '%40', '%2540', '%C3%A9', 'a', '.', '-', '/', '0'),
      maxLength: 60,
    }),
  );
  /** Addresses that run into each other. */
  const joined = fc
    .array(fc.constantFrom('a@b.cc', '@d.ee', '%40x.org', '%2540b.cc', ':email', '@', '.cc', '-', 'é'), {
      maxLength: 6,
    })
    .map((pieces) => `/${pieces.join('').replaceAll('é', '%C3%A9')}`);
  const anyPath = fc.array(fc.oneof(part, joined), { maxLength: 8 }).map((parts) => `/${parts.join('')}`);

  test('finds nothing more in what it has masked, and leaves every escape whole', () => {
    fc.assert(
      fc.property(anyPath, (path) => {
        const masked = maskPersonalParts(path);
        expect(maskPersonalParts(masked)).toBe(masked);
        expect(masked.replace(/%[\dA-Fa-f]{2}/g, '')).not.toContain('%');
      }),
    );
  });
});
