import { describe, expect, test } from 'vitest';
import { identifyUserAgent } from '../../server/identity/user-agent.ts';
import {
  type Labelled,
  labelledPeople,
  newestAiRobots,
  newestCrawlers,
  scoreOf,
  without,
} from './labelled.ts';

describe('names that nobody has listed yet', () => {
  const lists: [name: string, unseen: Labelled[], least: number][] = [
    ['crawler-user-agents', newestCrawlers(), 30],
    ['ai.robots.txt', newestAiRobots(), 20],
  ];

  test.each(lists)(
    'the newest quarter of %s: 80 %% of AI is found, and 95 %% of what is called AI is',
    (_, unseen, least) => {
      const { recall, precision, wrong } = scoreOf([...unseen, ...labelledPeople()], without(unseen));
      expect(unseen.filter(({ label }) => label === 'ai').length).toBeGreaterThan(least);
      expect({ recall, precision, wrong }).toSatisfy(() => recall >= 0.8 && precision >= 0.95);
    },
  );

  test('no visitor is taken for AI or a bot by rules for such names', () => {
    const held = lists.flatMap(([, unseen]) => unseen);
    expect(scoreOf(labelledPeople(), without(held)).wrong).toEqual([]);
  });

  test('of a listed client nothing changes while others are held back', () => {
    const held = without(newestAiRobots());
    expect(held('GPTBot/1.0')).toEqual(identifyUserAgent('GPTBot/1.0'));
  });
});
