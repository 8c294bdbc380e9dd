import { useContext, useState } from 'preact/hooks';
import type { LinkReply } from '../../shared/accounts/admin.ts';
import { isAtLeast } from '../../shared/accounts/role.ts';
import type { SavedViewReply, SavedViewsReply } from '../../shared/reports/saved-views.ts';
import { useAction } from '../api/action.ts';
import { withQuery } from '../api/client.ts';
import { useApi, useResource } from '../api/resource.ts';
import { Code, copy } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/form/field.tsx';
import { submit } from '../components/form/form.tsx';
import { Failure, Loaded } from '../components/notice.tsx';
import { readComparison, standardRange } from '../formats/range.ts';
import { ProjectContext } from '../router/project-pages.ts';
import { Link, useRouter } from '../router/router.tsx';
import { useUnsaved } from '../router/unsaved.ts';
import { t } from '../texts/more.ts';
import { fill } from '../texts/part.ts';
import { t as report } from '../texts/report.ts';
import type { View } from './view.ts';

type Shown = Omit<SavedViewReply, 'id' | 'name' | 'createdAt' | 'filter'> & Pick<View, 'filter'>;

const endOf = ({ page }: Shown) => (page === 'overview' ? '' : `/${page}`);

/** Its address below that of a project or of a shared page. */
export function addressOfView(base: string, view: Shown): string {
  const { range, compare, measure, filter } = view;
  return withQuery(base + endOf(view), {
    range: range === standardRange ? null : range,
    compare: compare === 'none' ? null : compare,
    measure: measure === 'visitors' ? null : measure,
    ...filter,
  });
}

interface SavedViewsProps extends Pick<View, 'base' | 'range' | 'measure' | 'filter'> {
  projectId: string;
  onClose: () => void;
}

/** The saved views of a project: each is opened by a click, and an editor saves what is shown. */
export function SavedViews({ base, projectId, onClose, ...shown }: SavedViewsProps) {
  const { api } = useApi();
  const { path: here, query } = useRouter();
  const role = useContext(ProjectContext)?.role;
  const mayChange = role !== undefined && isAtLeast(role, 'editor');
  const path = `${base}/saved-views`;
  const resource = useResource<SavedViewsReply>(path);
  const [name, setName] = useState('');
  const [renamed, setRenamed] = useState<SavedViewReply>();
  const [shared, setShared] = useState<{ name: string; url: string; isCopied: boolean }>();
  const page = (here.split('/')[3] || 'overview') as Shown['page'];
  const { range, measure, filter } = shown;
  const now: Shown = { page, range: range.key, compare: readComparison(query), measure, filter };
  const save = useAction(async () => {
    if (renamed) await api.send('PATCH', `${path}/${renamed.id}`, { name });
    else await api.send('POST', path, { name, ...now });
    setName('');
    setRenamed(undefined);
    resource.reload();
  });
  const remove = useAction(async ({ id }: SavedViewReply) => {
    await api.send('DELETE', `${path}/${id}`);
    resource.reload();
  });
  const share = useAction(async (view: Shown & { name: string }) => {
    const link = await api.send<LinkReply>('POST', `/v1/admin/projects/${projectId}/links`, { kind: 'page' });
    const url = addressOfView(link.url, publicView(view));
    setShared({ name: view.name, url, isCopied: await copy(url) });
  });
  const isUnsaved = useUnsaved(!save.isBusy && name !== (renamed?.name ?? ''));
  const rename = (view: SavedViewReply) => {
    setRenamed(view);
    setName(view.name);
  };
  return (
    <Dialog title={report.saveOrShare} onClose={onClose}>
      <Loaded resource={resource} lines={3}>
        {({ views }) => (
          <ul class="rows">
            {views.map((view) => (
              <li key={view.id}>
                <Link class="rows-main" href={addressOfView(`/p/${projectId}`, view)} onFollow={onClose}>
                  <bdi>{view.name}</bdi>
                </Link>
                {mayChange &&
                  (
                    [
                      [t.shareView, t.shareTheView, () => share.run(view)],
                      [t.rename, t.renameTheView, () => rename(view)],
                      [t.remove, t.removeTheView, () => remove.run(view)],
                    ] as const
                  ).map(([label, what, act]) => (
                    <button
                      key={label}
                      type="button"
                      class="small"
                      aria-label={fill(what, { name: view.name })}
                      onClick={act}
                    >
                      {label}
                    </button>
                  ))}
              </li>
            ))}
            {views.length === 0 && <li class="empty">{t.noViewIsSaved}</li>}
          </ul>
        )}
      </Loaded>
      <Failure failure={remove.failure ?? share.failure} />
      {shared && (
        <div role="status">
          <p class="hint">{fill(t.everybodyWithTheLink, { name: shared.name })}</p>
          <Code key={shared.url} text={shared.url} what={t.linkToTheView} isCopied={shared.isCopied} />
        </div>
      )}
      {mayChange && (
        <form class="form" data-unsaved={isUnsaved} onSubmit={submit(() => save.run())}>
          <TextField
            label={renamed ? fill(t.newNameOf, { name: renamed.name }) : t.nameOfThisView}
            name="name"
            value={name}
            onText={setName}
            required
            maxLength={80}
          />
          <Failure failure={save.failure} />
          <div class="actions">
            <button type="submit" class="primary" disabled={save.isBusy}>
              {renamed ? t.rename : t.saveThisView}
            </button>
            {!renamed && (
              <button
                type="button"
                disabled={share.isBusy}
                onClick={() => share.run({ ...now, name: t.whatIsShown })}
              >
                {t.shareWithoutSaving}
              </button>
            )}
          </div>
        </form>
      )}
    </Dialog>
  );
}

/** A shared page has but two pages. */
const publicView = (view: Shown): Shown => (view.page === 'ai' ? view : { ...view, page: 'overview' });
