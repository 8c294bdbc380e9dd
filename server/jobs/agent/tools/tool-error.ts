/** What a tool answers in place of acting. The model reads the sentence, so it says what to do next. */
export class ToolError extends Error {}
