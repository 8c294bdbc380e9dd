import fc from 'fast-check';
import { z } from 'zod';
import { anyCharacter } from '../any-character.ts';

/** What is used of JSON Schema. */
interface JsonSchema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  required?: string[];
  items?: JsonSchema;
}

/** Values that go deep, by the name of the field that they are for. */
export type Hints = Record<string, fc.Arbitrary<unknown>>;

/** Texts that are hard on parsers, databases, file systems and terminals. */
export const hardText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '../../etc/passwd',
    '%00',
    '__proto__',
    'constructor',
    "'; drop table days; --",
    '-1',
    '1e309',
    '99999999999999999999',
    '2026-02-30',
    '2026-11-20T10:00:00+25:00',
    '\u202e\u0000\uffff',
    'x'.repeat(9_000),
    '\u{1f600}'.repeat(3_000),
  ),
);

/** Values mostly as the schema wants them, with something else now and then at any place. */
export function valuesOf(schema: z.ZodType, hints: Hints): fc.Arbitrary<unknown> {
  return anyValue(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema, '', hints);
}

function anyValue(schema: JsonSchema, name: string, hints: Hints): fc.Arbitrary<unknown> {
  const hint = Object.hasOwn(hints, name) ? hints[name] : undefined;
  const fitting = hint ?? fittingValue(schema, hints);
  return fc.oneof(
    { weight: 12, arbitrary: fitting },
    { weight: 1, arbitrary: fc.oneof(fc.jsonValue({ maxDepth: 2 }), hardText) },
  );
}

function fittingValue(schema: JsonSchema, hints: Hints): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((part) => anyValue(part, '', hints)));
  switch (schema.type) {
    case 'object':
      return objectOf(schema, hints);
    case 'array':
      return fc.array(anyValue(schema.items ?? {}, '', hints), { maxLength: 4 });
    case 'string':
      return fc.oneof(fc.string({ minLength: 1, maxLength: 30 }), hardText);
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer(), fc.double());
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf({ properties = {}, required = [] }: JsonSchema, hints: Hints): fc.Arbitrary<unknown> {
  const values = Object.entries(properties).map(
    ([name, part]) => [name, anyValue(part, name, hints)] as const,
  );
  const known = fc.record(Object.fromEntries(values), { requiredKeys: required });
  const more = fc.dictionary(hardText, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 });
  return fc.oneof(
    { weight: 6, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(known, more).map(([some, others]) => ({ ...others, ...some })) },
  );
}

/** Four of five times the first. */
export const mostly = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: other });
