import fc from 'fast-check';

const named = process.env.HEADCOUNT_FUZZ_SEED ?? '1';

/** What chance decides in tests: the same in each run, or else with HEADCOUNT_FUZZ_SEED, a number or "random". */
const seed = named === 'random' ? Math.trunc(Math.random() * 2 ** 31) : Number(named);

fc.configureGlobal({ seed });
