import type { DayViews } from '../cells/day-views.ts';
import { placeOf } from '../cells/question.ts';
import type { Renamed } from '../page/renamed.ts';
import { kindBits } from '../sum.ts';
import { addBits, GoalMatcher, type GoalSum, type NameText, sumsBy } from './goal.ts';

interface Asked {
  goals: readonly string[];
  renamed: Renamed | null;
  /** Of paths and events. */
  nameOf: NameText;
}

/** Of people with one device: their views, and how many they are, as `sumsBy` takes them. */
interface Device {
  views: number;
  people: number[];
}

/** Views or visitors between two pauses. */
const atATime = 131_072;

/** People of a day, and those who reached each goal, by device: a visitor has the same all day. Pauses now and then. */
export function* deviceSums(views: DayViews, { goals, renamed, nameOf }: Asked): Generator<void, GoalSum[]> {
  if (goals.length === 0) return [];
  const matcher = new GoalMatcher(goals, renamed);
  const bitsOf = new Map<number, number>();
  const devices = new Map<number, Device>();
  const deviceOf = new Uint32Array(views.visitors.size);
  const reached = new Uint32Array(views.visitors.size);
  const codes = views.values.column(placeOf('device'));
  for (let view = 0; view < views.size; view++) {
    if (view % atATime === 0) yield;
    const part = views.part.at(view);
    if ((part & 3) !== kindBits.human) continue;
    const visitor = views.visitor.at(view);
    const code = codes[part >>> 2] as number;
    const device = devices.get(code) ?? { views: 0, people: [0, ...goals.map(() => 0)] };
    device.views++;
    devices.set(code, device);
    deviceOf[visitor] = code;
    const path = views.path.at(view);
    const bits = bitsOf.get(path) ?? matcher.ofPath(nameOf(path) ?? '');
    bitsOf.set(path, bits);
    (reached[visitor] as number) |= bits;
  }
  for (const [event, visitors] of views.events) {
    const bits = matcher.ofEvent(nameOf(event) ?? '');
    for (const visitor of visitors.all) (reached[visitor] as number) |= bits;
  }
  for (const [visitor, code] of deviceOf.entries()) {
    if (visitor % atATime === 0) yield;
    const people = devices.get(code)?.people;
    if (people) addBits(people, 0, (reached[visitor] as number) * 2 + 1, 1);
  }
  return [...devices].flatMap(([code, device]) => {
    const text = views.values.textOf(code);
    return text === undefined ? [] : [...sumsBy('device', text, goals, device)];
  });
}
