import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

type Json = null | boolean | number | string | Json[] | JsonObject;
interface JsonObject {
  [key: string]: Json;
}

export interface ForgeExchange {
  method: string;
  /** Below the API's address. */
  path: string;
  query: URLSearchParams;
  requestBody: unknown;
  status: number;
  answer: unknown;
}

interface Operation {
  pattern: RegExp;
  method: string;
  pointer: string;
  description: JsonObject;
}

/** Statuses that any route may answer with, though the description does not list them all. */
const everywhere = new Set([401, 403, 404, 429, 500, 502, 503]);

/**
 * GitHub's published OpenAPI description, cut down to what Headcount uses; `slice-github-api.ts` made the slice. Prism would
 * hold requests against it with Ajv too, and brings 122 packages of 85 MB for that.
 */
export class GithubDescription {
  readonly #document: JsonObject;
  readonly #ajv: Ajv;
  readonly #operations: Operation[];
  readonly #validators = new Map<string, ValidateFunction>();

  constructor() {
    const file = join(import.meta.dirname, 'github-api.json');
    this.#document = withNulls(JSON.parse(readFileSync(file, 'utf8'))) as JsonObject;
    this.#ajv = new Ajv({ strict: false, allErrors: true, logger: false });
    addFormats.default(this.#ajv);
    for (const name of ['repo.nwo', 'timestamp']) this.#ajv.addFormat(name, true);
    this.#ajv.addSchema(this.#document, 'github');
    this.#operations = this.#listOperations();
  }

  /** What is wrong with a request and its answer, in words; empty when both are as described. */
  check(exchange: ForgeExchange): string[] {
    const { method, path } = exchange;
    const operation = this.#operations.find((known) => known.method === method && known.pattern.test(path));
    if (!operation) return [`${method} ${path} is no operation of the description`];
    const wrong = [
      ...this.#checkQuery(operation, exchange.query),
      ...this.#checkRequest(operation, exchange.requestBody),
      ...this.#checkAnswer(operation, exchange),
    ];
    return wrong.map((what) => `${method} ${path}: ${what}`);
  }

  /** The smallest value that a schema of the description allows. */
  sample(name: string): JsonObject {
    return this.#sample({ $ref: `#/components/schemas/${name}` }) as JsonObject;
  }

  #listOperations(): Operation[] {
    const operations: Operation[] = [];
    for (const [path, methods] of Object.entries(this.#document.paths as JsonObject)) {
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
      for (const [method, description] of Object.entries(methods as JsonObject)) {
        const pointer = `github#/paths/${path.replaceAll('/', '~1').replace(/[{}]/g, encodeURIComponent)}/${method}`;
        operations.push({
          pattern,
          method: method.toUpperCase(),
          pointer,
          description: description as JsonObject,
        });
      }
    }
    return operations;
  }

  #checkQuery(operation: Operation, query: URLSearchParams): string[] {
    const known = ((operation.description.parameters ?? []) as JsonObject[])
      .map((parameter) => this.#resolve(parameter))
      .filter((parameter) => parameter.in === 'query');
    return [...query].flatMap(([name, value]) => {
      const parameter = known.find((candidate) => candidate.name === name);
      if (!parameter) return [`unknown query parameter ${name}`];
      const schema = parameter.schema as JsonObject;
      const typed = schema.type === 'integer' ? Number(value) : value;
      return this.#report(this.#ajv.compile(schema), typed, `query parameter ${name}`);
    });
  }

  #checkRequest(operation: Operation, body: unknown): string[] {
    const described = operation.description.requestBody as JsonObject | undefined;
    if (!described) return body === undefined ? [] : ['a body where none is described'];
    if (body === undefined) return described.required === true ? ['no body'] : [];
    const pointer = `${operation.pointer}/requestBody/content/application~1json/schema`;
    const schema = ((described.content as JsonObject)['application/json'] as JsonObject).schema as JsonObject;
    const choices = [schema, ...((schema.oneOf ?? []) as JsonObject[])];
    const known = choices.flatMap(({ properties }) => Object.keys((properties ?? {}) as JsonObject));
    const unknown = Object.keys(body as object).filter((name) => !known.includes(name));
    return [
      ...unknown.map((name) => `unknown field ${name} in the body`),
      ...this.#report(this.#validator(pointer), body, 'body'),
    ];
  }

  #checkAnswer(operation: Operation, { status, answer }: ForgeExchange): string[] {
    const responses = operation.description.responses as JsonObject;
    const described = responses[String(status)] as JsonObject | undefined;
    if (!described && !everywhere.has(status)) return [`status ${status} is not described`];
    // A status alone.
    if (described && described.content === undefined && described.$ref === undefined) return [];
    const pointer = described
      ? `${this.#locate(described, `${operation.pointer}/responses/${status}`)}/content/application~1json/schema`
      : 'github#/components/schemas/basic-error';
    return this.#report(this.#validator(pointer), answer, `answer ${status}`);
  }

  #validator(pointer: string): ValidateFunction {
    const known = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: pointer });
    this.#validators.set(pointer, known);
    return known;
  }

  #report(validate: ValidateFunction, value: unknown, what: string): string[] {
    if (validate(value)) return [];
    return (validate.errors ?? []).map((error) => `${what}${error.instancePath} ${error.message}`);
  }

  #locate(part: JsonObject, pointer: string): string {
    return typeof part.$ref === 'string' ? `github${part.$ref}` : pointer;
  }

  #resolve(part: JsonObject): JsonObject {
    if (typeof part.$ref !== 'string') return part;
    const keys = part.$ref.slice(2).split('/');
    return keys.reduce<Json>(
      (value, key) => (value as JsonObject)[key] ?? null,
      this.#document,
    ) as JsonObject;
  }

  #sample(part: JsonObject): Json {
    const schema = this.#resolve(part);
    const choices = (schema.anyOf ?? []) as JsonObject[];
    if (schema.nullable === true || choices.some(({ type }) => type === 'null')) return null;
    if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
    for (const key of ['allOf', 'anyOf', 'oneOf']) {
      const [first] = (schema[key] ?? []) as JsonObject[];
      if (first) return this.#sample(first);
    }
    switch (schema.type) {
      case 'object': {
        const properties = (schema.properties ?? {}) as JsonObject;
        const required = (schema.required ?? []) as string[];
        return Object.fromEntries(
          required.map((name) => [name, this.#sample(properties[name] as JsonObject)]),
        );
      }
      case 'array':
        return [];
      case 'boolean':
        return false;
      case 'integer':
      case 'number':
        return 1;
      default:
        return sampleText(schema.format);
    }
  }
}

/** One for all servers of a process: to compile what a test of jobs needs takes a sixth of its CPU time. */
export const githubDescription = new GithubDescription();

/** OpenAPI 3.0 has `nullable` next to `anyOf`; JSON Schema, and so Ajv, wants a type of its own for null. */
function withNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withNulls);
  if (value === null || typeof value !== 'object') return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNulls(item)]));
  if (copy.nullable !== true || copy.type !== undefined) return copy;
  const { nullable: _, ...rest } = copy;
  return { anyOf: [rest, { type: 'null' }] };
}

function sampleText(format: Json | undefined): string {
  if (format === 'date-time') return '2026-11-20T10:00:00Z';
  if (format === 'uri') return 'https://api.github.com/x';
  if (format === 'email') return 'a@example.com';
  return 'x';
}
