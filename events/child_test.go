package events

func child() int { return 0 }
