package model

// CheckFeeds is checkFeeds for tests.
func (s *Signature) CheckFeeds(feeds []Feed) error { return s.checkFeeds(feeds) }
