/**
 * HTTP as Node has it. With `import` its whole namespace would be looked up, and a part of that is Node's `fetch`, which takes
 * 15 MB and some time.
 */
export const { createServer, request, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http');
