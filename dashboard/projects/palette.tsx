import { useEffect, useState } from 'preact/hooks';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { moreRangeKeys, rangeKeys } from '../../shared/reports/ranges.ts';
import { Dialog } from '../components/dialog.tsx';
import { Suggestions } from '../components/suggestions.tsx';
import { addressOf } from '../router/address.ts';
import { pagesFor, settingsPagesFor, usePageAddress } from '../router/project-pages.ts';
import { useRouter } from '../router/router.tsx';
import { t as common } from '../texts/common.ts';
import { t as frame } from '../texts/frame.ts';
import { languages, languageTags } from '../texts/language.ts';
import { t } from '../texts/more.ts';
import { t as report } from '../texts/report.ts';

interface Place {
  group: string;
  name: string;
  /** Other words for it. */
  also?: string | undefined;
  go: () => void;
}

interface PaletteProps {
  projects: ProjectReply[];
  project: ProjectReply | undefined;
  onClose: () => void;
}

/** As many as are shown at once. */
const most = 12;

/** All that one can go to, found by typing. */
export function Palette({ projects, project, onClose }: PaletteProps) {
  const [text, setText] = useState('');
  const places = [...useProjectPlaces(project), ...useOtherPlaces(projects, project), ...useHelp()];
  const words = text.trim().toLowerCase().split(/\s+/);
  const isMeant = (written: string) => words.every((word) => written.toLowerCase().includes(word));
  const named = places.filter(({ group, name }) => isMeant(`${group} ${name}`));
  const others = places.filter(
    (place) => !named.includes(place) && isMeant(`${place.group} ${place.name} ${place.also ?? ''}`),
  );
  const found = [...named, ...others].slice(0, most);
  const toOption = ({ name, go }: Place) => ({
    label: <bdi>{name}</bdi>,
    choose: () => {
      onClose();
      go();
    },
  });
  const groups = [...Map.groupBy(found, ({ group }) => group)];
  return (
    <Dialog title={common.goTo} onClose={onClose}>
      <Suggestions
        {...{ label: common.goTo, hint: t.goToHint, text, onText: setText, empty: t.nothingHasThisName }}
        groups={groups.map(([name, options]) => ({ name, options: options.map(toOption) }))}
      />
    </Dialog>
  );
}

function useProjectPlaces(project: ProjectReply | undefined): Place[] {
  const { navigate, hrefWith } = useRouter();
  const address = usePageAddress(`/p/${project?.id}`);
  if (!project) return [];
  const to = (group: string) => (page: { name: string; end: string }) => ({
    ...{ group, name: page.name, also: wordsFor(page.end), go: () => navigate(address(page.end)) },
  });
  const exported = document.querySelector<HTMLElement>('.report-top a[download]');
  const names: Readonly<Record<string, string>> = { ...report.ranges, ...t.ranges };
  const isReport = document.querySelector('main .range') !== null;
  const rangeHref = (range: string) =>
    isReport ? hrefWith({ range, page: null }) : `/p/${project.id}?range=${range}`;
  return [
    ...pagesFor(project.role).map(to(project.name)),
    ...settingsPagesFor(project.role).map(to(common.projectPages.settings)),
    ...(exported
      ? [{ group: project.name, name: report.exportAll, also: t.exportWords, go: () => exported.click() }]
      : []),
    ...[...rangeKeys, ...moreRangeKeys].map((key) => ({
      ...{ group: report.timeRange, name: names[key] ?? key, go: () => navigate(rangeHref(key)) },
    })),
  ];
}

function useOtherPlaces(projects: ProjectReply[], project: ProjectReply | undefined): Place[] {
  const { navigate } = useRouter();
  const others = projects.filter(({ id }) => id !== project?.id);
  return [
    ...others.map(({ id, name }) => ({ group: frame.project, name, go: () => navigate(`/p/${id}`) })),
    {
      ...{ group: 'Headcount', name: frame.installation, also: wordsFor('/installation') },
      go: () => navigate('/installation'),
    },
    { group: 'Headcount', name: t.lightOrDark, go: () => document.getElementById('theme')?.click() },
    ...languageTags.map((tag) => ({
      ...{ group: common.language, name: languages[tag].name, go: () => chooseLanguage(tag) },
    })),
  ];
}

/** What else somebody may call a page, by what follows the project's address. */
const wordsFor = (end: string) => (t.words as Readonly<Record<string, string | undefined>>)[end];

/** In the menu, which is on every page. */
function chooseLanguage(tag: string): void {
  const menu = document.getElementById('language') as HTMLSelectElement;
  menu.value = tag;
  menu.dispatchEvent(new Event('change', { bubbles: true }));
}

/** The pages of the documentation, as its own list has them. */
function useHelp(): Place[] {
  const [places, setPlaces] = useState<Place[]>([]);
  useEffect(() => {
    const read = async () => {
      const answer = await fetch(addressOf('/help/llms.txt'));
      const list = answer.ok ? await answer.text() : '';
      const pages = list.matchAll(/^- \[(.+?)\]\(([\w-]+)\.md\)/gm);
      setPlaces(
        Array.from(pages, ([, name = '', page]) => ({
          ...{
            group: common.help,
            name,
            go: () => open(addressOf(`/help/${page}.html`), '_blank', 'noopener'),
          },
        })),
      );
    };
    // Without it, the other places are there all the same.
    read().catch(() => undefined);
  }, []);
  return places;
}
