import { useState } from 'preact/hooks';
import { AreaField, faultOf, TextField } from '../components/field.tsx';
import { TimeZoneField } from '../components/time-zone.tsx';
import { joinLines, splitLines } from '../formats/lines.ts';
import { type SectionProps, SettingsForm, useSave } from './form.tsx';

/** What is counted. */
export function General(props: SectionProps) {
  const { project } = props;
  const save = useSave(props);
  const [name, setName] = useState(project.name);
  const [timeZone, setTimeZone] = useState(project.timeZone);
  const [hosts, setHosts] = useState(joinLines(project.hosts));
  const [paths, setPaths] = useState(joinLines(project.excludedPaths));
  const [addresses, setAddresses] = useState(joinLines(project.excludedAddresses));
  const [parameters, setParameters] = useState(joinLines(project.keptParameters));
  const fault = (field: string) => faultOf(save.failure, field);
  const patch = () => ({
    settings: {
      name,
      timeZone,
      hosts: splitLines(hosts),
      excludedPaths: splitLines(paths),
      excludedAddresses: splitLines(addresses),
      keptParameters: splitLines(parameters),
    },
  });
  return (
    <SettingsForm id="site" title="Site" save={save} patch={patch}>
      <div class="side-by-side">
        <TextField
          label="Name"
          name="name"
          value={name}
          onText={setName}
          required
          maxLength={100}
          fault={fault('name')}
        />
        <TimeZoneField value={timeZone} onText={setTimeZone} fault={fault('timeZone')} />
      </div>
      <div class="side-by-side">
        <AreaField
          label="Hosts"
          name="hosts"
          value={hosts}
          onText={setHosts}
          placeholder="www.example.com"
          hint="One a line. Hits from pages elsewhere are not counted. Empty: any host."
          fault={fault('hosts')}
        />
        <AreaField
          label="Kept query parameters"
          name="keptParameters"
          value={parameters}
          onText={setParameters}
          placeholder="page"
          hint="They stay part of a path, as in /search?page=2."
          fault={fault('keptParameters')}
        />
      </div>
      <div class="side-by-side">
        <AreaField
          label="Paths that are not counted"
          name="excludedPaths"
          value={paths}
          onText={setPaths}
          placeholder="/admin/**"
          hint="One a line; * is any name, ** any number of them."
          fault={fault('excludedPaths')}
        />
        <AreaField
          label="Addresses that are not counted"
          name="excludedAddresses"
          value={addresses}
          onText={setAddresses}
          placeholder="192.0.2.0/24"
          hint="IP addresses and ranges, such as those of your office."
          fault={fault('excludedAddresses')}
        />
      </div>
    </SettingsForm>
  );
}
