import { useState } from 'preact/hooks';
import type { LinkReply, LinksReply, ProjectReply } from '../../shared/admin.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/context.ts';
import { useResource } from '../api/resource.ts';
import { Code } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Failure, Loaded } from '../components/notice.tsx';
import { formatTime } from '../formats/day.ts';
import { safeLink } from '../formats/text.ts';

const kinds: Record<LinkReply['kind'], { name: string; words: string }> = {
  page: { name: 'Share link', words: 'Whoever has it sees the overview, and can change nothing.' },
  badge: { name: 'Badge', words: 'An image of the last 30 days’ visitors, for a README or a page.' },
};

/** Public addresses of the project. */
export function Links({ project }: { project: ProjectReply }) {
  const { api } = useApi();
  const path = `/v1/admin/projects/${project.id}/links`;
  const resource = useResource<LinksReply>(path);
  const [revoking, setRevoking] = useState<LinkReply>();
  const make = useAction(async (kind: LinkReply['kind']) => {
    await api.send<LinkReply>('POST', path, { kind });
    resource.reload();
  });
  return (
    <section class="card" id="sharing" aria-labelledby="sharing-title">
      <h2 id="sharing-title">Sharing</h2>
      <Loaded resource={resource} lines={3}>
        {({ links }) => (
          <ul class="rows">
            {links.map((link) => (
              <SharedLink key={link.id} link={link} name={project.name} onRevoke={() => setRevoking(link)} />
            ))}
            {links.length === 0 && <li class="empty">Nothing of this project is public.</li>}
          </ul>
        )}
      </Loaded>
      <Failure failure={make.failure} />
      <div class="actions">
        <button type="button" onClick={() => make.run('page')} disabled={make.isBusy}>
          Make a share link
        </button>
        <button type="button" onClick={() => make.run('badge')} disabled={make.isBusy}>
          Make a badge
        </button>
      </div>
      {revoking && (
        <RevokeLink
          path={`${path}/${revoking.id}`}
          kind={revoking.kind}
          onClose={(isDone) => {
            setRevoking(undefined);
            if (isDone) resource.reload();
          }}
        />
      )}
    </section>
  );
}

interface SharedLinkProps {
  link: LinkReply;
  name: string;
  onRevoke: () => void;
}

function SharedLink({ link: { kind, url, createdAt }, name, onRevoke }: SharedLinkProps) {
  const path = new URL(url).pathname;
  return (
    <li class="rows-tall">
      <div class="rows-main">
        <span class="strong">{kinds[kind].name}</span>
        <p class="hint">
          {kinds[kind].words} Made <time dateTime={createdAt}>{formatTime(createdAt)}</time>.
        </p>
        {kind === 'badge' && <img class="badge" src={path} alt={`Badge of ${name}`} height={20} />}
      </div>
      {kind === 'page' && (
        <a class="button small" href={safeLink(url)} target="_blank" rel="noreferrer">
          Open
        </a>
      )}
      <button
        type="button"
        class="small"
        onClick={onRevoke}
        aria-label={`Revoke this ${kinds[kind].name.toLowerCase()}`}
      >
        Revoke
      </button>
      <Code
        text={kind === 'badge' ? `![Visitors](${url})` : url}
        what={`the ${kinds[kind].name.toLowerCase()}`}
      />
    </li>
  );
}

interface RevokeLinkProps {
  path: string;
  kind: LinkReply['kind'];
  onClose: (isDone: boolean) => void;
}

function RevokeLink({ path, kind, onClose }: RevokeLinkProps) {
  const { api } = useApi();
  const revoke = useAction(async () => {
    await api.send('DELETE', path);
    onClose(true);
  });
  return (
    <Dialog title={`Revoke this ${kinds[kind].name.toLowerCase()}?`} onClose={() => onClose(false)}>
      <p>Its address shows nothing from this moment on. A new one has another address.</p>
      <Failure failure={revoke.failure} />
      <div class="actions">
        <button type="button" onClick={() => onClose(false)}>
          Keep it
        </button>
        <button type="button" class="danger" onClick={() => revoke.run()} disabled={revoke.isBusy}>
          Revoke it
        </button>
      </div>
    </Dialog>
  );
}
