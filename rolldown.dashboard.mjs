import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { rolldown, watch } from 'rolldown';
import { formatLicenses, packagesOf } from './binary/licenses.ts';

// Builds the dashboard, with --watch whenever a source changes.

const folder = 'dist/dashboard';
const styleFolder = 'dashboard/style';

function readStyle(folder, ...others) {
  const own = globSync(`${folder}/*.css`).toSorted();
  return [...others, ...own]
    .map((name) => readFileSync(name, 'utf8'))
    .join('\n')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/(?<=[{;][\w-]+): /g, ':');
}

/** In the page itself: it is smaller than the head of one more answer. */
const addressOf = (svg) => `data:image/svg+xml,${svg.replaceAll('"', "'").replaceAll('#', '%23')}`;

const flagPackage = 'node_modules/circle-flags';

/** A rule for each country: a browser reads the pictures of those alone that it shows. */
function drawFlags() {
  const files = globSync(`${flagPackage}/flags/[a-z][a-z].svg`).toSorted();
  return files
    .map((file) => [basename(file, '.svg').toUpperCase(), addressOf(readFileSync(file, 'utf8'))])
    .map(([code, icon]) => `[data-flag=${code}]::before{background-image:url("${icon}")}`)
    .join('');
}

/** The same of what people come from and with, in the colour of their names. */
function drawIcons() {
  const brands = JSON.parse(readFileSync('dashboard/brands.json', 'utf8'));
  const { icons } = JSON.parse(readFileSync('node_modules/@iconify-json/simple-icons/icons.json', 'utf8'));
  const rules = Object.entries(brands).map(([icon, names]) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${icons[icon].body}</svg>`;
    const selector = names.map((name) => `[data-icon="${name}"]::before`).join();
    return `${selector}{background:currentColor;mask:url("${addressOf(svg)}")}`;
  });
  return rules.join('');
}

/** Writes the page with the names of what it loads, which hold a hash of the content. The server puts in `%base%`. */
const page = {
  name: 'page',
  // Files of earlier builds have other names.
  buildStart: () => rmSync(folder, { recursive: true, force: true }),
  generateBundle(_options, bundle) {
    const script = Object.values(bundle).find(({ isEntry }) => isEntry);
    const names = {
      script: script.fileName,
      style: emitAsset(this, 'style.css', readStyle(styleFolder, 'node_modules/uplot/dist/uPlot.min.css')),
      later: emitAsset(this, 'later.css', readStyle(`${styleFolder}/later`)),
      flag: emitAsset(this, 'flags.css', drawFlags()),
      icon: emitAsset(this, 'icons.css', drawIcons()),
      ownIcon: addressOf(readFileSync('dashboard/icon.svg', 'utf8').trim()),
    };
    const html = readFileSync('dashboard/index.html', 'utf8').replace(
      /%(\w+)%/g,
      (all, name) => names[name] ?? all,
    );
    this.emitFile({ type: 'asset', fileName: 'index.html', source: html });
  },
};

/** What `shared/` says to models, to logs and to the console is of no use to a page. */
const withoutOtherWords = {
  name: 'without-other-words',
  transform: (code, id) =>
    id.includes('/shared/')
      ? code
          .replace(/^( *)tool: \{\n[\s\S]*?\n\1\},\n/gm, '')
          .replace(/^ *in(?:Console|Logs):\s+'.*',\n/gm, '')
      : null,
};

/** Pages need what is read from the schemas of settings alone. */
const withoutSchemas = {
  name: 'without-schemas',
  load: (id) =>
    id.endsWith('/shared/project/setting-fields.ts')
      ? import(id).then(
          ({ settingFields }) => `export const settingFields = ${JSON.stringify(settingFields)};`,
        )
      : null,
};

/** The table of countries is made of it. */
const countryDatabase = 'node_modules/@ip-location-db/geo-whois-asn-country-mmdb';

/** Of what is in the pages, of the flags and of the countries; all else is a package by itself, with its licence in it. */
const licenses = {
  name: 'licenses',
  generateBundle() {
    const folders = [...packagesOf(this.getModuleIds()), flagPackage, countryDatabase];
    writeFileSync('dist/THIRD-PARTY-LICENSES', formatLicenses(folders));
  },
};

function emitAsset(bundler, name, source) {
  const hash = createHash('sha256').update(source).digest('hex').slice(0, 10);
  const fileName = `assets/${name.replace('.', `-${hash}.`)}`;
  bundler.emitFile({ type: 'asset', fileName, source });
  return fileName;
}

const input = {
  input: 'dashboard/main.tsx',
  tsconfig: 'dashboard/tsconfig.json',
  plugins: [page, licenses, withoutOtherWords, withoutSchemas],
  checks: { bundlerTimings: false },
};
const output = {
  dir: folder,
  format: 'es',
  minify: true,
  entryFileNames: 'assets/dashboard-[hash].js',
  chunkFileNames: 'assets/[name]-[hash].js',
  // The page waits for one script alone, with all that it begins with.
  codeSplitting: { groups: [{ name: 'dashboard', tags: ['$initial'] }] },
};

if (process.argv.includes('--watch')) {
  watch({ ...input, output }).on('event', ({ code, error, result }) => {
    if (code === 'ERROR') process.stderr.write(`${error.message}\n`);
    return result?.close();
  });
} else {
  const bundle = await rolldown(input);
  await bundle.write(output);
  await bundle.close();
}
