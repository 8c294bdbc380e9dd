-- Adds up the slots of days in a shard, and adds them to larger blocks, of which each row is the day, span and start.
create or replace function seal_shard(p_shard int, p_project int, p_days int[], b_days int[], b_spans int[], b_starts int[])
returns void language plpgsql set jit = off as $$
begin
  insert into counts as c (shard, project, span, day, what, parent, name, slot,
    human_visitors, ai_visitors, visitors, human_views, ai_views)
  select shard, project, span, day, what, parent, name, 0,
    sum(human_visitors), sum(ai_visitors), sum(visitors), sum(human_views), sum(ai_views)
  from counts o
  where shard = p_shard and project = p_project and span = 1 and day = any (p_days) and slot <> 0
  group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (shard, project, span, day, what, parent, name, slot) do update set
    human_visitors = c.human_visitors + excluded.human_visitors,
    ai_visitors = c.ai_visitors + excluded.ai_visitors,
    visitors = c.visitors + excluded.visitors,
    human_views = c.human_views + excluded.human_views,
    ai_views = c.ai_views + excluded.ai_views;
  delete from counts
  where shard = p_shard and project = p_project and span = 1 and day = any (p_days) and slot <> 0;

  insert into counts as c (shard, project, span, day, what, parent, name, slot,
    human_visitors, ai_visitors, visitors, human_views, ai_views)
  select o.shard, o.project, b.span, b.start, o.what, o.parent, o.name, 0,
    sum(human_visitors), sum(ai_visitors), sum(visitors), sum(human_views), sum(ai_views)
  from unnest(b_days, b_spans, b_starts) as b(day, span, start)
    join counts o on o.shard = p_shard and o.project = p_project and o.span = 1 and o.day = b.day
  where b.day = any (p_days)
  group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (shard, project, span, day, what, parent, name, slot) do update set
    human_visitors = c.human_visitors + excluded.human_visitors,
    ai_visitors = c.ai_visitors + excluded.ai_visitors,
    visitors = c.visitors + excluded.visitors,
    human_views = c.human_views + excluded.human_views,
    ai_views = c.ai_views + excluded.ai_views;
end $$;
