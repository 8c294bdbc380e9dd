import { useEffect, useState } from 'preact/hooks';
import { useApi } from '../api/context.ts';

/** Says that what is shown may be out of date. */
export function Offline({ isReachable }: { isReachable: boolean }) {
  const { refresh } = useApi();
  const isOnline = useOnline();
  const isOffline = !isOnline || !isReachable;
  return (
    <div class="offline-place" role="status">
      {isOffline && (
        <div class="offline">
          <p>
            {isOnline ? 'The server does not respond.' : 'You are offline.'} What you see may be out of date.
            It is updated as soon as the connection is back.
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
