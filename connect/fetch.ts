import { prepare } from './reporter.ts';

type Connect = typeof import('./types/fetch.d.ts').connect;

export const connect: Connect = (options) => {
  const { report, flush } = prepare(options);
  return {
    report(request, response, context) {
      const read = () => {
        const headers = new Map(request.headers);
        const host = headers.get('host');
        return {
          method: request.method,
          // Behind a framework the address may be that of the framework.
          url: host ? request.url.replace(/(?<=:\/\/)[^/]+/, host) : request.url,
          headers,
          peer: context?.address,
          status: response?.status,
          bytes: Number(response?.headers.get('content-length') ?? Number.NaN),
          type: response?.headers.get('content-type'),
        };
      };
      // Called on its object, as most of these cannot do without.
      const waitUntil = context?.waitUntil && ((promise: Promise<unknown>) => context.waitUntil?.(promise));
      report(read, () => options.filter?.(request, response), waitUntil);
    },
    flush,
  };
};
