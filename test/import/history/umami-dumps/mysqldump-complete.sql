/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: m200
-- ------------------------------------------------------
-- Server version	10.11.19-MariaDB-0+deb12u1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Dumping data for table `session`
--

LOCK TABLES `session` WRITE;
/*!40000 ALTER TABLE `session` DISABLE KEYS */;
INSERT INTO `session` (`session_id`, `website_id`, `hostname`, `browser`, `os`, `device`, `screen`, `language`, `country`, `subdivision1`, `subdivision2`, `city`, `created_at`) VALUES ('aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa','11111111-1111-4111-8111-111111111111','example.com','chrome','Windows 10','desktop',NULL,'de-DE','DE',NULL,NULL,NULL,'2026-03-14 09:00:00');
INSERT INTO `session` (`session_id`, `website_id`, `hostname`, `browser`, `os`, `device`, `screen`, `language`, `country`, `subdivision1`, `subdivision2`, `city`, `created_at`) VALUES ('bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb','11111111-1111-4111-8111-111111111111','example.com','firefox','Linux','laptop',NULL,'fr','FR',NULL,NULL,NULL,'2026-03-14 09:00:00');
/*!40000 ALTER TABLE `session` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Dumping data for table `website_event`
--

LOCK TABLES `website_event` WRITE;
/*!40000 ALTER TABLE `website_event` DISABLE KEYS */;
INSERT INTO `website_event` (`event_id`, `website_id`, `session_id`, `created_at`, `url_path`, `url_query`, `referrer_path`, `referrer_query`, `referrer_domain`, `page_title`, `event_type`, `event_name`) VALUES ('eeeeeeee-eeee-4eee-8eee-000000000001','11111111-1111-4111-8111-111111111111','aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa','2026-03-14 09:05:06','/',NULL,NULL,NULL,'www.google.com','It\'s a \"title\", with \\N and \\ and	tab\nINSERT INTO x VALUES (\'a\');',1,NULL);
INSERT INTO `website_event` (`event_id`, `website_id`, `session_id`, `created_at`, `url_path`, `url_query`, `referrer_path`, `referrer_query`, `referrer_domain`, `page_title`, `event_type`, `event_name`) VALUES ('eeeeeeee-eeee-4eee-8eee-000000000002','11111111-1111-4111-8111-111111111111','aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa','2026-03-14 09:06:00','/docs','',NULL,NULL,'example.com','Docs',1,NULL);
INSERT INTO `website_event` (`event_id`, `website_id`, `session_id`, `created_at`, `url_path`, `url_query`, `referrer_path`, `referrer_query`, `referrer_domain`, `page_title`, `event_type`, `event_name`) VALUES ('eeeeeeee-eeee-4eee-8eee-000000000003','11111111-1111-4111-8111-111111111111','aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa','2026-03-14 09:06:30','/docs','',NULL,NULL,'example.com','Docs',2,'signup');
INSERT INTO `website_event` (`event_id`, `website_id`, `session_id`, `created_at`, `url_path`, `url_query`, `referrer_path`, `referrer_query`, `referrer_domain`, `page_title`, `event_type`, `event_name`) VALUES ('eeeeeeee-eeee-4eee-8eee-000000000004','11111111-1111-4111-8111-111111111111','bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb','2026-03-14 23:59:59','/','utm_source=news&utm_campaign=spring',NULL,NULL,NULL,'It\'s a \"title\", with \\N and \\ and	tab\nINSERT INTO x VALUES (\'a\');',1,NULL);
INSERT INTO `website_event` (`event_id`, `website_id`, `session_id`, `created_at`, `url_path`, `url_query`, `referrer_path`, `referrer_query`, `referrer_domain`, `page_title`, `event_type`, `event_name`) VALUES ('eeeeeeee-eeee-4eee-8eee-000000000005','11111111-1111-4111-8111-111111111111','bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb','2026-03-15 00:00:00','/',NULL,NULL,NULL,NULL,NULL,1,NULL);
/*!40000 ALTER TABLE `website_event` ENABLE KEYS */;
UNLOCK TABLES;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed on 2026-11-28 12:38:59
