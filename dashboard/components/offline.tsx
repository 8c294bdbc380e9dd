import { useEffect, useState } from 'preact/hooks';
import { useApi } from '../api/context.ts';

/** Says that what is shown may be old. */
export function Offline({ isReachable }: { isReachable: boolean }) {
  const { refresh } = useApi();
  const isOnline = useOnline();
  const isAway = !isOnline || !isReachable;
  return (
    <div class="offline-place" role="status">
      {isAway && (
        <div class="offline">
          <p>
            {isOnline ? 'The server does not answer.' : 'You are offline.'} What you see may be out of date;
            it is read anew as soon as possible.
          </p>
          <button type="button" class="small" onClick={refresh}>
            Try now
          </button>
        </div>
      )}
    </div>
  );
}

function useOnline(): boolean {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    addEventListener('online', look);
    addEventListener('offline', look);
    return () => {
      removeEventListener('online', look);
      removeEventListener('offline', look);
    };
  }, []);
  return isOnline;
}
