import { describe, expect, test } from 'vitest';
import { makers } from '../../server/identity/unlisted/maker.ts';
import { identifyUserAgent } from '../../server/identity/user-agent.ts';
import aiRobots from '../support/identity/ai-robots-names.json' with { type: 'json' };
import services from '../support/identity/services-of-2025.json' with { type: 'json' };
import {
  type Labelled,
  labelledPeople,
  listedMakers,
  newestAiRobots,
  newestAiRobotsNames,
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

  test('a maker is known by a client that is not held back, or not at all', () => {
    const held: Labelled[] = [{ label: 'ai', userAgent: 'GPTBot/1.0' }];
    expect(without(held, 'some')('GPT-Fresh/1.0')).toMatchObject({ operator: 'OpenAI', rule: 'maker-name' });
    expect(without(held, 'none')('GPT-Fresh/1.0').kind).toBe('bot');
    expect(without(held, 'none')('Fresh-LLM/1.0 (+https://x.ai)')).toMatchObject({ rule: 'self-declared' });
    const onlyOne: Labelled[] = [{ label: 'ai', userAgent: 'TimpiBot/1.0' }];
    expect(without(onlyOne)('Timpi-Fresh/1.0 (+https://timpi.io)')).toMatchObject({ rule: 'maker-address' });
    expect(without(onlyOne, 'some')('Timpi-Fresh/1.0 (+https://timpi.io)').kind).toBe('bot');
  });

  test.each(lists)(
    'of the newest quarter of %s, 70 %% is found where makers are known from older clients and lists alone',
    (_, unseen) => {
      expect(scoreOf(unseen, without(unseen, 'listed')).recall).toBeGreaterThanOrEqual(0.7);
    },
  );

  test('lists of AI services are older than names that are held back, and their makers are in the table', () => {
    const since = Object.values(aiRobots.names).toSorted().at(-newestAiRobotsNames().names.length) ?? '';
    expect(services.filter(({ date }) => date >= since)).toEqual([]);
    const known = new Set(makers.map(({ operator }) => operator));
    expect([...listedMakers].filter((operator) => !known.has(operator))).toEqual([]);
  });

  test('of a listed client nothing changes while others are held back', () => {
    const held = without(newestAiRobots());
    expect(held('GPTBot/1.0')).toEqual(identifyUserAgent('GPTBot/1.0'));
  });
});
