/*M!999999\- enable the sandbox mode */ 

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;
DROP TABLE IF EXISTS `website`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `website` (
  `website_id` varchar(36) NOT NULL,
  `name` varchar(100) NOT NULL,
  `domain` varchar(500) DEFAULT NULL,
  `share_id` varchar(50) DEFAULT NULL,
  `reset_at` timestamp NULL DEFAULT NULL,
  `user_id` varchar(36) DEFAULT NULL,
  `created_at` timestamp NULL DEFAULT current_timestamp(),
  `updated_at` timestamp NULL DEFAULT NULL,
  `deleted_at` timestamp NULL DEFAULT NULL,
  PRIMARY KEY (`website_id`),
  UNIQUE KEY `website_website_id_key` (`website_id`),
  UNIQUE KEY `website_share_id_key` (`share_id`),
  KEY `website_user_id_idx` (`user_id`),
  KEY `website_created_at_idx` (`created_at`),
  KEY `website_share_id_idx` (`share_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES `website` WRITE;
/*!40000 ALTER TABLE `website` DISABLE KEYS */;
INSERT INTO `website` VALUES
('11111111-1111-4111-8111-111111111111','Example','example.com',NULL,NULL,NULL,'2026-11-28 12:38:59',NULL,NULL);
/*!40000 ALTER TABLE `website` ENABLE KEYS */;
UNLOCK TABLES;
DROP TABLE IF EXISTS `session`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `session` (
  `session_id` varchar(36) NOT NULL,
  `website_id` varchar(36) NOT NULL,
  `hostname` varchar(100) DEFAULT NULL,
  `browser` varchar(20) DEFAULT NULL,
  `os` varchar(20) DEFAULT NULL,
  `device` varchar(20) DEFAULT NULL,
  `screen` varchar(11) DEFAULT NULL,
  `language` varchar(35) DEFAULT NULL,
  `country` char(2) DEFAULT NULL,
  `subdivision1` char(20) DEFAULT NULL,
  `subdivision2` varchar(50) DEFAULT NULL,
  `city` varchar(50) DEFAULT NULL,
  `created_at` timestamp NULL DEFAULT current_timestamp(),
  PRIMARY KEY (`session_id`),
  UNIQUE KEY `session_session_id_key` (`session_id`),
  KEY `session_created_at_idx` (`created_at`),
  KEY `session_website_id_idx` (`website_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES `session` WRITE;
/*!40000 ALTER TABLE `session` DISABLE KEYS */;
INSERT INTO `session` VALUES
('aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa','11111111-1111-4111-8111-111111111111','example.com','chrome','Windows 10','desktop',NULL,'de-DE','DE',NULL,NULL,NULL,'2026-03-14 09:00:00'),
('bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb','11111111-1111-4111-8111-111111111111','example.com','firefox','Linux','laptop',NULL,'fr','FR',NULL,NULL,NULL,'2026-03-14 09:00:00');
/*!40000 ALTER TABLE `session` ENABLE KEYS */;
UNLOCK TABLES;
DROP TABLE IF EXISTS `website_event`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `website_event` (
  `event_id` varchar(36) NOT NULL,
  `website_id` varchar(36) NOT NULL,
  `session_id` varchar(36) NOT NULL,
  `created_at` timestamp NULL DEFAULT current_timestamp(),
  `url_path` varchar(500) NOT NULL,
  `url_query` varchar(500) DEFAULT NULL,
  `referrer_path` varchar(500) DEFAULT NULL,
  `referrer_query` varchar(500) DEFAULT NULL,
  `referrer_domain` varchar(500) DEFAULT NULL,
  `page_title` varchar(500) DEFAULT NULL,
  `event_type` int(10) unsigned NOT NULL DEFAULT 1,
  `event_name` varchar(50) DEFAULT NULL,
  PRIMARY KEY (`event_id`),
  KEY `website_event_created_at_idx` (`created_at`),
  KEY `website_event_session_id_idx` (`session_id`),
  KEY `website_event_website_id_idx` (`website_id`),
  KEY `website_event_website_id_created_at_idx` (`website_id`,`created_at`),
  KEY `website_event_website_id_session_id_created_at_idx` (`website_id`,`session_id`,`created_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

LOCK TABLES `website_event` WRITE;
/*!40000 ALTER TABLE `website_event` DISABLE KEYS */;
INSERT INTO `website_event` VALUES
('eeeeeeee-eeee-4eee-8eee-000000000001','11111111-1111-4111-8111-111111111111','aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa','2026-03-14 09:05:06','/',NULL,NULL,NULL,'www.google.com','It\'s a \"title\", with \\N and \\ and	tab\nINSERT INTO x VALUES (\'a\');',1,NULL),
('eeeeeeee-eeee-4eee-8eee-000000000002','11111111-1111-4111-8111-111111111111','aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa','2026-03-14 09:06:00','/docs','',NULL,NULL,'example.com','Docs',1,NULL),
('eeeeeeee-eeee-4eee-8eee-000000000003','11111111-1111-4111-8111-111111111111','aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa','2026-03-14 09:06:30','/docs','',NULL,NULL,'example.com','Docs',2,'signup'),
('eeeeeeee-eeee-4eee-8eee-000000000004','11111111-1111-4111-8111-111111111111','bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb','2026-03-14 23:59:59','/','utm_source=news&utm_campaign=spring',NULL,NULL,NULL,'It\'s a \"title\", with \\N and \\ and	tab\nINSERT INTO x VALUES (\'a\');',1,NULL),
('eeeeeeee-eeee-4eee-8eee-000000000005','11111111-1111-4111-8111-111111111111','bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb','2026-03-15 00:00:00','/',NULL,NULL,NULL,NULL,NULL,1,NULL);
/*!40000 ALTER TABLE `website_event` ENABLE KEYS */;
UNLOCK TABLES;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

