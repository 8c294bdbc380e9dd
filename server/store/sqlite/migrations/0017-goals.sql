-- Where the views came from, in their order: all sources, then all countries (four bytes each, lowest byte first; 0: none). Of
-- projects that have goals, which have events among the views, too (packed-views.ts).
alter table visit_views add column origins blob;
