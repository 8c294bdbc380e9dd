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

  test('a maker is known by a client that is not held back, or not at all', () => {
    const held: Labelled[] = [{ label: 'ai', userAgent: 'GPTBot/1.0' }];
    expect(without(held, 'some')('GPT-User/1.0')).toMatchObject({ operator: 'OpenAI', rule: 'maker-name' });
    expect(without(held, 'none')('GPT-User/1.0').kind).toBe('bot');
    expect(without(held, 'none')('Fresh-LLM/1.0 (+https://x.ai)')).toMatchObject({ rule: 'self-declared' });
    const onlyOne: Labelled[] = [{ label: 'ai', userAgent: 'TimpiBot/1.0' }];
    expect(without(onlyOne)('Timpi-Fresh/1.0 (+https://timpi.io)')).toMatchObject({ rule: 'maker-address' });
    expect(without(onlyOne, 'some')('Timpi-Fresh/1.0 (+https://timpi.io)').kind).toBe('bot');
  });

  test('of a listed client nothing changes while others are held back', () => {
    const held = without(newestAiRobots());
    expect(held('GPTBot/1.0')).toEqual(identifyUserAgent('GPTBot/1.0'));
  });
});
