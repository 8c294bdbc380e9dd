create or replace function await_ends_of_batches(p_days int[]) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  v_closed int[] := array(select id from days where id = any (p_days) and salt is null);
  v_shard int;
begin
  for v_shard in
    select distinct s from days d join projects p on p.id = d.project, unnest(shards_of(p.id, p.buckets)) s
    where d.id = any (p_days) order by 1
  loop
    perform keep_shard(v_shard);
    perform take_days(s.shard, p_days) from shards s where s.shard = v_shard;
    perform 1 from shards s, batch_days d where s.shard = v_shard and d.id = any (v_closed);
    if found then
      raise exception 'A server of shards does not know yet that a day is closed.' using errcode = '40001';
    end if;
  end loop;
end $$;
