import type { ComponentChildren } from 'preact';
import type { RequestError } from '../api/client.ts';
import { type Resource, useApi } from '../api/resource.ts';
import { t } from '../texts/common.ts';

/** What went wrong, and a way to try again. */
export function Failure({ failure, retry }: { failure: RequestError | undefined; retry?: () => void }) {
  if (!failure) return null;
  return (
    <div class="notice notice-bad" role="alert">
      <p dir="auto">{failure.message}</p>
      {retry && (
        <button type="button" class="small" onClick={retry}>
          {t.tryAgain}
        </button>
      )}
    </div>
  );
}

export function Notice({ children }: { children: ComponentChildren }) {
  return <div class="notice">{children}</div>;
}

/** A placeholder, about as tall as what is to come. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} style={{ width: `${88 - ((index * 29) % 45)}%` }} />
      ))}
    </div>
  );
}

interface LoadedProps<T> {
  resource: Resource<T>;
  lines?: number;
  children: (data: T) => ComponentChildren;
}

/** Whether the server does not answer such a question at all: in its own words, and nothing that went wrong. */
export const isRefused = ({ failure, isBusy }: Pick<Resource<unknown>, 'failure' | 'isBusy'>): boolean =>
  !isBusy && failure?.isRefusal === true;

/** Of what was read: the banner says once for all of it that the server is gone. */
export function ReadFailure({
  resource,
}: {
  resource: Pick<Resource<unknown>, 'failure' | 'isBusy' | 'reload'>;
}) {
  const { failure, isBusy, reload } = resource;
  const { refresh } = useApi();
  // Of which project it was may be gone: what else is shown is read again, too.
  const retry = () => {
    reload();
    refresh();
  };
  return <Failure failure={isBusy || failure?.isUnreachable ? undefined : failure} retry={retry} />;
}

/** The data, a placeholder while it is being read, or why it could not be read. */
export function Loaded<T>({ resource, lines = 6, children }: LoadedProps<T>) {
  const { data, failure, isBusy } = resource;
  return (
    <div class="loaded" aria-busy={isBusy}>
      <ReadFailure resource={resource} />
      {data !== undefined ? children(data) : isAwaited(failure) && <Skeleton lines={lines} />}
    </div>
  );
}

/** The banner says that it is read as soon as the server is back. */
const isAwaited = (failure: RequestError | undefined) => failure === undefined || failure.isUnreachable;
