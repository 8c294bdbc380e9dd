import type { JsonSchema } from './schemas.ts';

const references = '#/components/schemas/';

/** A schema as a TypeScript type, with its descriptions as comments. */
export function toType(schema: JsonSchema, indent = ''): string {
  if (typeof schema.$ref === 'string') return schema.$ref.replace(references, '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) {
    return [...new Set(choices.map((part: JsonSchema) => toType(part, indent)))].join(' | ');
  }
  if (Array.isArray(schema.type)) {
    return schema.type.map((type: string) => toType({ ...schema, type }, indent)).join(' | ');
  }
  switch (schema.type) {
    case 'object':
      return objectType(schema, indent);
    case 'array':
      return `${inBrackets(toType((schema.items ?? {}) as JsonSchema, indent))}[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      return 'unknown';
  }
}

const inBrackets = (type: string) => (type.includes(' | ') && !type.startsWith('{') ? `(${type})` : type);

function objectType({ properties, required = [], additionalProperties }: JsonSchema, indent: string): string {
  if (!properties) {
    const values = typeof additionalProperties === 'object' ? (additionalProperties as JsonSchema) : {};
    return `Record<string, ${toType(values, indent)}>`;
  }
  const fields = Object.entries(properties).map(([name, field]) => {
    const said = field.description === undefined ? '' : `${indent}  /** ${field.description} */\n`;
    const mark = required.includes(name) ? '' : '?';
    return `${said}${indent}  ${nameOf(name)}${mark}: ${toType(field, `${indent}  `)};\n`;
  });
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('')}${indent}}`;
}

const nameOf = (name: string) => (/^\w+$/.test(name) ? name : `'${name}'`);
