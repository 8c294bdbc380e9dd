import type { OpenApi, Operation, Parameter } from './openapi.ts';
import type { JsonSchema } from './schemas.ts';
import { toType } from './typescript.ts';

/** The types of the client that sites install: parameters and results of each operation. */
export function toClientTypes({ paths, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, operation]) => method !== 'options' && isForPrograms(operation))
      .map(([method, operation]): [string, Operation] => [`${method.toUpperCase()} ${path}`, operation]),
  );
  const common = commonOf(operations.flatMap(([, { parameters = [] }]) => parameters));
  const used = namesUsed(
    components.schemas,
    operations.map(([, operation]) => schemasOf(operation)),
  );
  const written = new Map<string, string>();
  const named = Object.entries(components.schemas).filter(([name]) => used.has(name));
  return [
    '// Built from the description of the API.\n',
    `/** What means the same wherever it is taken. */\nexport interface Parameters ${typeOf([...common.values()])}\n`,
    `export interface Operations {\n${operations.map(([name, operation]) => entryOf(name, operation, common, written)).join('')}}\n`,
    ...named.map(([name, schema]) => `export ${declarationOf(name, toType(schema))}\n`),
  ].join('\n');
}

const declarationOf = (name: string, type: string) =>
  type.startsWith('{') ? `interface ${name} ${type}` : `type ${name} = ${type};`;

/** The schemas that these refer to, directly or indirectly, and the one of an error. */
function namesUsed(named: Readonly<Record<string, JsonSchema>>, schemas: readonly unknown[]): Set<string> {
  const used = new Set(['Error', ...referencesIn(schemas)]);
  // Schemas added during the loop are visited, too.
  for (const name of used) for (const next of referencesIn(named[name])) used.add(next);
  return used;
}

const referencesIn = (schema: unknown) =>
  Array.from(
    JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g),
    ([, name]) => name as string,
  );

/** Operations that return JSON, or only a status. */
function isForPrograms({ operationId, responses }: Operation): boolean {
  if (/^(server|mcp)\./.test(operationId)) return false;
  const types = Object.keys(firstOf(responses)?.content ?? {});
  return types.length === 0 || types.includes('application/json');
}

function firstOf(responses: Operation['responses']) {
  const [first] = Object.values(responses);
  return first && !('$ref' in first) ? first : undefined;
}

const schemasOf = ({ requestBody, responses }: Operation) => ({
  body: Object.values(requestBody?.content ?? {})[0]?.schema,
  reply: firstOf(responses)?.content?.['application/json']?.schema,
});

type Common = ReadonlyMap<string, Parameter>;

/** Parameters of paths and queries, by name, as most of the several operations mean them that take them. */
function commonOf(parameters: readonly Parameter[]): Common {
  const shareable = parameters.filter((one) => one.in !== 'header' && !isFormat(one));
  const named = Map.groupBy(shareable, ({ name }) => name);
  return new Map(
    [...named].flatMap(([name, all]) => {
      const alike = [...Map.groupBy(all, (one) => typeOf([one])).values()];
      const [usual = []] = alike.toSorted((a, b) => b.length - a.length);
      return usual[0] && usual.length > 1 ? [[name, usual[0]]] : [];
    }),
  );
}

function isCommon(one: Parameter, common: Common): boolean {
  const usual = common.get(one.name);
  return usual !== undefined && typeOf([usual]) === typeOf([one]);
}

/** A file is no JSON. */
const isFormat = ({ name }: Parameter) => name === 'format';

/** @param written where a query or a reply stands first, by its type: what several reports take or answer is written once */
function entryOf(name: string, operation: Operation, common: Common, written: Map<string, string>): string {
  const { summary, parameters = [] } = operation;
  const { body, reply } = schemasOf(operation);
  const once = (type: string, place: string) => {
    const first = type.length > 100 ? written.get(type) : undefined;
    if (first === undefined) written.set(type, `Operations['${name}']${place}`);
    return first ?? type;
  };
  const given = [
    groupOf('path', parameters, common, once),
    groupOf('query', parameters, common, once),
    groupOf('headers', parameters, common, once),
    body ? `      body: ${toType(body, '      ')};\n` : '',
  ].join('');
  const taken = given === '' ? 'Record<string, never>' : `{\n${given}    }`;
  return `  /** ${summary} */\n  '${name}': {\n    given: ${taken};\n    reply: ${reply ? once(toType(reply, '    '), "['reply']") : 'undefined'};\n  };\n`;
}

function groupOf(
  group: 'path' | 'query' | 'headers',
  parameters: readonly Parameter[],
  common: Common,
  once: (type: string, place: string) => string,
): string {
  const place = group === 'headers' ? 'header' : group;
  const given = parameters.filter((one) => one.in === place && !isFormat(one));
  if (given.length === 0) return '';
  const shared = given.filter((one) => isCommon(one, common));
  const own = given.filter((one) => !isCommon(one, common));
  const type = [
    ...(shared.length > 0 ? [`Pick<Parameters, ${shared.map(({ name }) => `'${name}'`).join(' | ')}>`] : []),
    ...(own.length > 0 ? [typeOf(own, '      ')] : []),
  ];
  const mark = given.some(({ required }) => required) ? '' : '?';
  return `      ${group}${mark}: ${once(type.join(' & '), `['given']['${group}']`)};\n`;
}

function typeOf(parameters: readonly Parameter[], indent = ''): string {
  const described = parameters.map(({ name, description, schema }) => [name, { description, ...schema }]);
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  const schema: JsonSchema = { type: 'object', properties: Object.fromEntries(described), required };
  return toType(schema, indent);
}
