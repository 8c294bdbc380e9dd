import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {
  type DescribedResponse,
  describeApi,
  type OpenApi,
  type Operation,
} from '../../../server/description/openapi.ts';
import { generalRefusals } from '../../../server/description/refusals.ts';
import { statusOf } from '../../../server/errors.ts';
import { dashboardFolder } from '../../../server/files/shipped.ts';
import { pageRoutes } from '../../../server/http/files/pages.ts';
import { operations } from '../../../server/operations.ts';
import type { RecordedAnswer } from './record.ts';

interface Place {
  path: string;
  pattern: RegExp;
  /** By method in lower case. */
  methods: Record<string, Operation>;
}

const general: number[] = [...generalRefusals.client, ...generalRefusals.server].map(
  (code) => statusOf[code],
);

/** As the server takes it, which does not walk up and down by its dots. */
function pathOf(target: string): string {
  const path = target.startsWith('/') ? target.split(/[?#]/)[0] : URL.parse(target)?.pathname;
  return path ?? target;
}

/** The whole description, that of the dashboard's routes too, to hold answers against. */
export class Description {
  readonly #api: OpenApi;
  readonly #places: Place[];
  readonly #pages: RegExp[];
  readonly #ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    // Patterns say what these are.
    formats: { starts_with: true, cidrv4: true, cidrv6: true },
  });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #seen = new Set<string>();

  private constructor(api: OpenApi) {
    this.#api = api;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(api, 'api');
    this.#places = Object.entries(api.paths)
      .map(([path, methods]) => ({ path, methods, pattern: toPattern(path.replace(/\{\w+\}/g, ':x')) }))
      // What is spelled out comes before what is open.
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
    this.#pages = pageRoutes(dashboardFolder, '').map(({ path }) => toPattern(path));
  }

  static async make(): Promise<Description> {
    return new Description(await describeApi(operations, { version: '0.0.0', isClosed: true }));
  }

  /** What of the answer is not described; undefined where all is. */
  faultOf(answer: RecordedAnswer): string | undefined {
    const { method, target, status } = answer;
    if (method === '') return this.#refusalFault(answer);
    const pathname = pathOf(target);
    const place = this.#places.find(({ pattern }) => pattern.test(pathname));
    if (!place) {
      if (this.#pages.some((pattern) => pattern.test(pathname))) return undefined;
      // A page for people.
      if (status === 404 && answer.type.startsWith('text/html')) return undefined;
      const isDashboard = pathname.startsWith('/v1/admin') && status === 401;
      return status === 404 || isDashboard ? this.#errorFault(answer) : this.#generalFault(answer);
    }
    const operation = place.methods[method === 'HEAD' ? 'get' : method.toLowerCase()];
    if (!operation) return status === 405 ? this.#errorFault(answer) : this.#generalFault(answer);
    return this.#operationFault(operation, answer);
  }

  /** Described statuses that no answer had so far. */
  unseen(): string[] {
    const described = this.#places.flatMap(({ methods }) =>
      Object.values(methods).flatMap(({ operationId, responses }) =>
        Object.keys(responses)
          .filter((status) => !status.endsWith('XX'))
          .map((status) => `${operationId} ${status}`),
      ),
    );
    return [...described, ...general.map((status) => `any request ${status}`)].filter(
      (one) => !this.#seen.has(one),
    );
  }

  #operationFault(operation: Operation, answer: RecordedAnswer): string | undefined {
    const { operationId, responses } = operation;
    const found = responses[answer.status];
    if (!found) return this.#generalFault(answer);
    this.#seen.add(`${operationId} ${answer.status}`);
    if (general.includes(answer.status)) this.#seen.add(`any request ${answer.status}`);
    return this.#bodyFault('$ref' in found ? this.#named(found.$ref) : found, answer);
  }

  #named(reference: string): DescribedResponse {
    return this.#api.components.responses[reference.split('/').at(-1) as string] as DescribedResponse;
  }

  #refusalFault(answer: RecordedAnswer): string | undefined {
    if (general.includes(answer.status)) this.#seen.add(`any request ${answer.status}`);
    return this.#errorFault(answer);
  }

  #generalFault(answer: RecordedAnswer): string | undefined {
    if (!general.includes(answer.status)) return `the status ${answer.status} is not described`;
    return this.#refusalFault(answer);
  }

  #errorFault(answer: RecordedAnswer): string | undefined {
    return this.#bodyFault(this.#named('AnyRequest'), answer);
  }

  #bodyFault(
    { content = {} }: DescribedResponse,
    { method, type, body }: RecordedAnswer,
  ): string | undefined {
    const media = type.split(';')[0] as string;
    if (media === '') return undefined;
    const described = content[media];
    if (!described) return `the type ${type} is not described`;
    if (media !== 'application/json' || method === 'HEAD' || body === '') return undefined;
    const validate = this.#validatorOf(described.schema);
    return validate(JSON.parse(body))
      ? undefined
      : `the body is not as described: ${this.#ajv.errorsText(validate.errors)}`;
  }

  #validatorOf(schema: object): ValidateFunction {
    const text = JSON.stringify(schema);
    let validator = this.#validators.get(text);
    if (!validator) {
      validator = this.#ajv.compile(JSON.parse(text.replaceAll('"#/', '"api#/')));
      this.#validators.set(text, validator);
    }
    return validator;
  }
}

/** Addresses as Express has them: `:name` and `*rest`, in any case, a slash at the end or none. */
function toPattern(path: string): RegExp {
  const source = path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+');
  return new RegExp(`^${source}/?$`, 'i');
}
