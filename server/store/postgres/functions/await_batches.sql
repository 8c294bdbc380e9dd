-- Waits for the batches that saw the salts of these days before they were taken away, and adds up what they left.
create or replace function await_batches(p_days int[]) returns void language plpgsql as $$
declare
  v_place record;
begin
  perform await_ends_of_batches(p_days);
  for v_place in
    select distinct s as shard, p.id as project
    from days d join projects p on p.id = d.project, unnest(shards_of(p.id, p.buckets)) s
    where d.id = any (p_days) order by 1, 2
  loop
    perform fold_project(v_place.shard, v_place.project);
  end loop;
end $$;
