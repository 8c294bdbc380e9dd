/** What a model may ask for: an operation of the API, told in a model's words. */
export interface McpTool {
  name: string;
  title: string;
  description: string;
  /** By its name. */
  operation: string | OneOf;
  /** Parameters and fields that are of no use to a model. */
  without?: readonly string[];
  effect: 'reads' | 'adds' | 'ends';
}

/** Operations that are asked for alike: a parameter of the tool says which is meant. */
export interface OneOf {
  parameter: string;
  /** By the value of the parameter. */
  operations: Readonly<Record<string, string>>;
}
