import { z } from 'zod';

/** JSON Schema, as far as it is looked into here: https://json-schema.org/draft/2020-12 */
export interface JsonSchema {
  [keyword: string]: unknown;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  $defs?: Record<string, JsonSchema>;
}

interface Options {
  /** Answers may get further fields later, except in tests. */
  isClosed: boolean;
}

/** The schemas that have names, which the others refer to. */
export class Schemas {
  readonly named: Record<string, JsonSchema> = {};
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Of requests. */
  input(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'input');
  }

  /** Of responses. */
  output(schema: z.ZodType): JsonSchema {
    return this.#convert(schema, 'output');
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { isClosed } = this.#options;
    const converted = z.toJSONSchema(schema, {
      io,
      override: ({ jsonSchema }) => this.#finish(jsonSchema as JsonSchema, isClosed),
    }) as JsonSchema;
    const { $schema, $defs = {}, ...rest } = toComponents(converted) as JsonSchema;
    Object.assign(this.named, $defs);
    return rest;
  }

  #finish(schema: JsonSchema, isClosed: boolean): void {
    const { parameter, each } = schema;
    if (parameter) {
      delete schema.pattern;
      Object.assign(schema, parameter);
    }
    if (each) schema.items = this.input(each as z.ZodType);
    delete schema.parameter;
    delete schema.each;
    // The format says it, and better.
    if (schema.format === 'date-time' || schema.format === 'date') delete schema.pattern;
    if (!isClosed && schema.additionalProperties === false) delete schema.additionalProperties;
  }
}

/** References as OpenAPI has them. */
function toComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComponents);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, part]) => [
    name,
    name === '$ref' ? String(part).replace('#/$defs/', '#/components/schemas/') : toComponents(part),
  ]);
  return Object.fromEntries(entries);
}
