import { zip } from './zip.ts';

type Line = Record<string, string | number | boolean>;

/**
 * The JSON export of GoatCounter, version 1.0: files and fields as the structures of exportjson.go have them, in the archive's one
 * folder (https://github.com/arp242/goatcounter, commit c957f51c).
 */
export function goatcounterJson(files: Readonly<Record<string, readonly Line[]>>): Buffer {
  const folder = 'goatcounter-export-example-20260320T163314Z';
  const info = {
    ...{ export_version: '1.0', goatcounter_version: '2.7.0', created_for: 'example.goatcounter.com' },
    ...{ created_by: 'user_id=1 <me@example.com>', created_at: '2026-03-20T16:33:14Z' },
  };
  return zip([
    { name: `${folder}/info.json`, content: `${JSON.stringify(info, undefined, 2)}\n`, isDeflated: true },
    ...Object.entries(files).map(([name, lines]) => ({
      name: `${folder}/${name}.jsonl`,
      content: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
      isDeflated: true,
    })),
  ]);
}
