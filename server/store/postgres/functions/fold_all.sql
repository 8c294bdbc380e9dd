-- All of all.
create or replace function fold_all() returns void language plpgsql as $$
declare
  v_place record;
begin
  for v_place in select distinct shard, project from pending_counts order by 1, 2 loop
    perform fold_project(v_place.shard, v_place.project);
  end loop;
end $$;
