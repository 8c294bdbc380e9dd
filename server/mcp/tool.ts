import type { Effect, Tool } from '../http/route.ts';

/** What a model may ask for: an operation of the API, told in a model's words. */
export interface McpTool extends Tool {
  /** By its name. */
  operation: string | OneOf;
  effect: Effect;
}

/** Operations that are asked for alike: a parameter of the tool says which is meant. */
export interface OneOf {
  parameter: string;
  /** By the value of the parameter. */
  operations: Readonly<Record<string, string>>;
}
