import fc from 'fast-check';
import { accessRules } from '../../../server/http/access.ts';
import { type Route, scopeFor } from '../../../server/http/route.ts';
import { chromeUserAgent } from '../headcount.ts';
import { type Field, field, jsonType } from './request-fields.ts';
import { type Hints, hardText, mostly, valuesOf } from './schema-values.ts';

export type CallerKind = 'none' | 'broken' | 'ingest' | 'admin' | 'all_projects' | 'session';

/** How the end of the body is marked. All but the first three are broken. */
export type Framing =
  | 'length'
  | 'chunked'
  | 'both'
  | 'cut off'
  | 'cut off in a chunk'
  | 'broken chunk'
  | 'endless chunk size'
  | 'two lengths';

/** One request, in values that a counterexample shows. */
export interface RequestPlan {
  identity: CallerKind;
  method: string;
  path: string;
  query: string;
  fields: Field[];
  body: { text: string; repeated: number; as: 'utf8' | 'latin1' | 'utf16le' | 'bom' | 'gzip' };
  framing: Framing;
  /** Whether method, path, fields and framing are as they should be: only identity, query and body may be wrong. */
  isPlain: boolean;
}

/** What requests speak of, so that some of them are accepted. */
export interface Surroundings {
  /** By the name of the path's parameter. */
  params: Record<string, readonly string[]>;
  /** By the name of a field or of a query's parameter. */
  hints: Hints;
}

const identities: CallerKind[] = ['none', 'broken', 'ingest', 'admin', 'all_projects', 'session'];

/** Half of the time somebody who may. */
const identityFor = (operation: Route) =>
  fc.oneof(
    fc.constantFrom(...identities),
    fc.constantFrom(...identities.filter((identity) => mayCall(identity, operation))),
  );

/** Whether the rules of access let them in, as far as that is a matter of keys and sessions. */
export function mayCall(identity: CallerKind, operation: Route): boolean {
  const { keys, session, allProjects } = accessRules[operation.access];
  if (!keys && !session) return true;
  if (identity === 'session') return session;
  if (identity === 'none' || identity === 'broken') return false;
  if (!keys || allProjects) return keys && identity === 'all_projects';
  return identity !== 'ingest' || scopeFor(operation) === 'ingest';
}

/** Requests to one operation, of which about a third are well-formed. */
export function plansFor(operation: Route, around: Surroundings): fc.Arbitrary<RequestPlan> {
  const common = {
    identity: identityFor(operation),
    query: queryOf(operation, around),
    body: bodyOf(operation, around),
  };
  const path = knownPath(operation, around);
  const plain = fc.record({
    ...common,
    method: fc.constant<string>(operation.method),
    path,
    fields: fc.constant<Field[]>([
      ['Content-Type', 'application/json'],
      ['User-Agent', chromeUserAgent],
    ]),
    framing: fc.constantFrom<Framing[]>('length', 'chunked'),
    isPlain: fc.constant(true),
  });
  const wild = fc.record({
    ...common,
    method: mostly<string>(fc.constant(operation.method), methods),
    path: mostly(path, brokenPath(operation, path)),
    fields: fc.array(fc.oneof(jsonType, field), { maxLength: 6 }),
    framing: mostly<Framing>(fc.constant('length'), framings),
    isPlain: fc.constant(false),
  });
  return fc.oneof({ weight: 1, arbitrary: plain }, { weight: 2, arbitrary: wild }).map(shown);
}

/** With a readable form for the report of a failure. */
const shown = (plan: RequestPlan): RequestPlan =>
  Object.assign(plan, {
    [fc.toStringMethod]: () =>
      JSON.stringify(plan).replace(/(.{1,12}?)\1{20,}/g, (all, part: string) => `${part}…(${all.length})`),
  });

const methods = fc.constantFrom(
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'get',
  'NONSENSE',
);

const framings = fc.constantFrom<Framing[]>(
  'chunked',
  'both',
  'cut off',
  'cut off in a chunk',
  'broken chunk',
  'endless chunk size',
  'two lengths',
);

const knownPath = ({ path }: Route, { params }: Surroundings) =>
  fillIn(path, (name) => fc.constantFrom(...(params[name] ?? ['none'])));

const badSegment = fc.oneof(
  hardText.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom(
    '',
    '%',
    '%zz',
    '%00',
    '%c0%af',
    '%2e%2e%2f',
    '..',
    '.',
    'ü',
    ';a=b',
    '{}',
    '*',
    'x'.repeat(12_000),
  ),
);

const brokenPath = ({ path }: Route, known: fc.Arbitrary<string>) =>
  fc.oneof(
    fillIn(path, () => badSegment),
    fc
      .tuple(known, badSegment)
      .chain(([whole, more]) =>
        fc.constantFrom(
          `${whole}/`,
          `/${whole}`,
          `${whole}/${more}`,
          whole.toUpperCase(),
          `http://example.com${whole}`,
          '*',
        ),
      ),
  );

/** The path with its parameters replaced. */
function fillIn(path: string, valueFor: (name: string) => fc.Arbitrary<string>): fc.Arbitrary<string> {
  const parts = path.split(/(:\w+)/);
  return fc
    .tuple(...parts.map((part) => (part.startsWith(':') ? valueFor(part.slice(1)) : fc.constant(part))))
    .map((filled) => filled.join(''));
}

function queryOf({ query }: Route, { hints }: Surroundings): fc.Arbitrary<string> {
  const fitting = (query ? valuesOf(query, hints) : fc.constant({})).map((value) =>
    Object.entries(value ?? {}).map(([name, one]) =>
      parameter(name, typeof one === 'string' ? one : (JSON.stringify(one) ?? '')),
    ),
  );
  const names = fc.constantFrom(
    'limit',
    'offset',
    'dateFrom',
    'dateTo',
    'format',
    'search',
    'path',
    'p',
    '__proto__',
  );
  const more = fc.array(
    fc.oneof(
      fc.tuple(names, hardText).map(([name, value]) => parameter(name, value)),
      fc.constantFrom(
        'limit[]=1',
        'limit[a]=1',
        'limit=1&limit=1',
        '%',
        '%zz=1',
        '&&&',
        '=',
        'a=%ff',
        'limit=+1',
      ),
    ),
    { maxLength: 3 },
  );
  return fc
    .tuple(fitting, mostly(fc.constant<string[]>([]), more))
    .map(([some, others]) => [...some, ...others].join('&'));
}

const parameter = (name: string, value: string) =>
  `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`;

type BodyPlan = RequestPlan['body'];

function bodyOf({ body }: Route, { hints }: Surroundings): fc.Arbitrary<BodyPlan> {
  const whole = (text: string): BodyPlan => ({ text, repeated: 1, as: 'utf8' });
  const fitting = (body ? valuesOf(body.schema, hints) : fc.constant({})).map((value) =>
    whole(JSON.stringify(value) ?? ''),
  );
  const encoded = fc.record({
    text: fitting.map(({ text }) => text),
    repeated: fc.constant(1),
    as: fc.constantFrom<BodyPlan['as'][]>('latin1', 'utf16le', 'bom', 'gzip'),
  });
  const cut = fc
    .tuple(fitting, fc.nat({ max: 60 }))
    .map(([{ text }, length]) => whole(text.slice(0, length)));
  return fc.oneof(
    { weight: 12, arbitrary: fitting },
    { weight: 2, arbitrary: fc.json().map(whole) },
    { weight: 2, arbitrary: fc.constantFrom(...oddBodies) },
    { weight: 1, arbitrary: encoded },
    { weight: 1, arbitrary: cut },
  );
}

const oddBodies: BodyPlan[] = [
  ...['', 'null', '"x"', '[]', '0', 'true', '{', '{"a":1,"a":2}', '{"__proto__":{"a":1}}', '\0', 'NaN'].map(
    (text): BodyPlan => ({ text, repeated: 1, as: 'utf8' }),
  ),
  { text: '[', repeated: 20_000, as: 'utf8' },
  { text: '{"a":', repeated: 4_000, as: 'utf8' },
  { text: '\xff\xfe\xfd', repeated: 10, as: 'latin1' },
  { text: ' ', repeated: 5_000_000, as: 'utf8' },
  { text: ' ', repeated: 5_000_000, as: 'gzip' },
];
