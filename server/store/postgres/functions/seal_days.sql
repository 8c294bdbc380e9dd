-- Seals closed days, for whose batches was waited. What another node sealed meanwhile is left out.
create or replace function seal_days(p_project text, p_days int[], b_days int[], b_spans int[], b_starts int[])
returns void language plpgsql as $$
declare
  v_project projects;
  v_sealed int[];
  v_shard int;
begin
  perform pg_advisory_xact_lock(2, p.id) from projects p where p.public_id = p_project;
  select * into v_project from projects where public_id = p_project;
  v_sealed := array(
    select day from days where project = v_project.id and id = any (p_days) and salt is null and forget_at is null
  );
  if v_sealed = '{}' then return; end if;
  perform forget_days(p_days);
  foreach v_shard in array shards_of(v_project.id, v_project.buckets) loop
    perform seal_shard(v_shard, v_project.id, v_sealed, b_days, b_spans, b_starts);
  end loop;
end $$;
