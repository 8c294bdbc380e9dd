--
-- PostgreSQL database dump
--

\restrict LqF416p54CEYHag7cAMyQcRM3SgMw2U7Gd1q6IeJ4tguvwKldSJkdzPZtiiwJ75

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Data for Name: session; Type: TABLE DATA; Schema: public; Owner: postgres
--

INSERT INTO public.session (session_id, website_id, browser, os, device, screen, language, country, region, city, created_at, distinct_id) VALUES
	('aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', '11111111-1111-4111-8111-111111111111', 'chrome', 'Windows 10', 'desktop', NULL, 'de-DE', 'DE', NULL, NULL, '2026-03-14 09:00:00+00', NULL),
	('bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb', '11111111-1111-4111-8111-111111111111', 'firefox', 'Linux', 'laptop', NULL, 'fr', 'FR', NULL, NULL, '2026-03-14 09:00:00+00', NULL);


--
-- Data for Name: website_event; Type: TABLE DATA; Schema: public; Owner: postgres
--

INSERT INTO public.website_event (event_id, website_id, session_id, created_at, url_path, url_query, referrer_path, referrer_query, referrer_domain, page_title, event_type, event_name, visit_id, tag, fbclid, gclid, li_fat_id, msclkid, ttclid, twclid, utm_campaign, utm_content, utm_medium, utm_source, utm_term, hostname, cls, fcp, inp, lcp, ttfb) VALUES
	('eeeeeeee-eeee-4eee-8eee-000000000001', '11111111-1111-4111-8111-111111111111', 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', '2026-03-14 09:05:06.345+00', '/', NULL, NULL, NULL, 'www.google.com', 'It''s a "title", with \N and \ and	tab
INSERT INTO x VALUES (''a'');', 1, NULL, 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'example.com', NULL, NULL, NULL, NULL, NULL),
	('eeeeeeee-eeee-4eee-8eee-000000000002', '11111111-1111-4111-8111-111111111111', 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', '2026-03-14 09:06:00+00', '/docs', '', NULL, NULL, 'example.com', 'Docs', 1, NULL, 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'example.com', NULL, NULL, NULL, NULL, NULL),
	('eeeeeeee-eeee-4eee-8eee-000000000003', '11111111-1111-4111-8111-111111111111', 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', '2026-03-14 09:06:30+00', '/docs', '', NULL, NULL, 'example.com', 'Docs', 2, 'signup', 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'example.com', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.website_event (event_id, website_id, session_id, created_at, url_path, url_query, referrer_path, referrer_query, referrer_domain, page_title, event_type, event_name, visit_id, tag, fbclid, gclid, li_fat_id, msclkid, ttclid, twclid, utm_campaign, utm_content, utm_medium, utm_source, utm_term, hostname, cls, fcp, inp, lcp, ttfb) VALUES
	('eeeeeeee-eeee-4eee-8eee-000000000004', '11111111-1111-4111-8111-111111111111', 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb', '2026-03-14 23:59:59+00', '/', 'utm_source=news&utm_campaign=spring', NULL, NULL, NULL, 'It''s a "title", with \N and \ and	tab
INSERT INTO x VALUES (''a'');', 1, NULL, 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'example.com', NULL, NULL, NULL, NULL, NULL),
	('eeeeeeee-eeee-4eee-8eee-000000000005', '11111111-1111-4111-8111-111111111111', 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb', '2026-03-15 00:00:00+00', '/', NULL, NULL, NULL, NULL, NULL, 1, NULL, 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'example.com', NULL, NULL, NULL, NULL, NULL);


--
-- PostgreSQL database dump complete
--

\unrestrict LqF416p54CEYHag7cAMyQcRM3SgMw2U7Gd1q6IeJ4tguvwKldSJkdzPZtiiwJ75

